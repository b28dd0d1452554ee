/**
 * Whether a text may be sent as the value of a header (RFC 9110, 5.5): latin1, and no control character but the tab. What the server lets
 * pass in a caller's head is not always: it takes DEL.
 */
export const isFieldValue = (text: string): boolean => FIELD_VALUE.test(text)

const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
