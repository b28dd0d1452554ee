/**
 * Whether a text can be an address or name to listen on. Not an empty one, as a shell gives it for a variable that is not set: the system
 * takes that for every address there is.
 */
export const isListenHost = (text: string): boolean => /^[^\s[\]/*]+$/.test(text)

export const LISTEN_HOST_FORM = 'an address or a name of this machine, such as 127.0.0.1 or ::1; 0.0.0.0 for all'
