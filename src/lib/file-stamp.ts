/** A time as part of a file's name, in UTC and in order: `20260701T120000123Z`. */
export const fileStamp = (wallMs: number): string => new Date(wallMs).toISOString().replace(/[-:.]/g, '')
