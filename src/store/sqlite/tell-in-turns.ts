/** Who waits for something to be on disk. `count`: for how many requests, when not for one. */
export interface Waiting {
  readonly count?: number
  resolve(): void
}

const TOLD_AT_ONCE = 32

/**
 * Tells them, in their order, so many in one turn of the event loop: what each does when it is told is work, and whatever else is due (timers,
 * requests that come in) gets its turn between.
 */
export function tellInTurns(waiting: readonly Waiting[], from = 0): void {
  let at = from
  for (let told = 0; told < TOLD_AT_ONCE; at++) {
    const next = waiting[at]
    if (next === undefined) return
    next.resolve()
    told += next.count ?? 1
  }
  if (at < waiting.length) setImmediate(() => tellInTurns(waiting, at))
}
