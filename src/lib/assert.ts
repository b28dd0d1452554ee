/** A bug in this program, never a caller's mistake: it is logged and answered as `internal_error`. */
export class Bug extends Error {
  override name = 'Bug'
}

/** Throws a `Bug` unless `condition` holds. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Bug(message)
}
