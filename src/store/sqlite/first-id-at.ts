/** The first id that a request of this time can have: they sort by the time of their making. */
export const firstIdAt = (ms: number): string => `req_${Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0')}`

/** Behind the ids of all times: their digits are hexadecimal. */
export const LAST_ID = 'req_g'
