/** Below what a test is given, so that it fails with words; a busy machine takes its time. */
export const PATIENCE_MS = 20_000

/** Things that happen, counted by name, and those who wait for them. What happened before the wait counts. */
export class Milestones {
  readonly #counts = new Map<string, number>()
  readonly #waiting = new Set<{ name: string; times: number; done: () => void }>()

  mark(name: string): void {
    this.#counts.set(name, this.count(name) + 1)
    for (const waiter of this.#waiting) {
      if (waiter.name !== name || waiter.times > this.count(name)) continue
      this.#waiting.delete(waiter)
      waiter.done()
    }
  }

  count(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  /** Resolves when it has happened so often; rejects, and says what did happen, when that takes too long. */
  async reached(name: string, times: number): Promise<void> {
    if (this.count(name) >= times) return
    const happened = () => [...this.#counts].map(([known, count]) => `${known} ×${count}`).join(', ') || 'nothing'
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add({ name, times, done: resolve })
    await withPatience(promise, () => `"${name}" did not happen ${times} times; what happened: ${happened()}`)
  }
}

/** Rejects, with words, when a promise takes longer than a test has patience. */
export async function withPatience<T>(
  promise: Promise<T>,
  complaint: () => string,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(complaint())), patienceMs)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
