/** The code of a system error, such as `ENOENT` or `EADDRINUSE`; null for what has none. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null
}
