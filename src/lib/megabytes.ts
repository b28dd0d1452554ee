const BYTES_PER_MB = 1_000_000

/** A size as a person reads it: `12.3 MB`. */
export const megabytes = (bytes: number): string => `${(bytes / BYTES_PER_MB).toFixed(1)} MB`
