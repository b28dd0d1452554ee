/** A bug in this program, never a caller's mistake: it is logged and answered as `internal_error`. */
export class Bug extends Error {
  override name = 'Bug'
}

/** Throws a `Bug` unless `condition` holds. A message that is put together is given as a function: asserts stand on hot paths. */
export function assert(condition: unknown, message: string | (() => string)): asserts condition {
  if (!condition) throw new Bug(typeof message === 'string' ? message : message())
}
