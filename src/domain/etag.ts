/** The ETag (RFC 9110) of a row: its version, in quotes. */
export const etagOf = (version: number): string => `"${version}"`
