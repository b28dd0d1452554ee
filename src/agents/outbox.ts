/**
 * What is sent within one tick is written together at its end: whoever reads at the other end of the first is awake for the others. Where both
 * share a machine, waking it is the dearest part of a write; an idle gateway's tick ends at once.
 */
export class Outbox {
  #waiting: Outgoing[] = []

  add(outgoing: Outgoing): void {
    if (this.#waiting.push(outgoing) === 1) setImmediate(() => this.#writeAll())
  }

  #writeAll(): void {
    const due = this.#waiting
    this.#waiting = []
    for (const outgoing of due) {
      try {
        outgoing.writeNow()
      } catch (bug) {
        void Promise.reject(bug) // the others are written all the same, and the app logs it
      }
    }
  }
}

/** May have become of no use while it waited. */
export interface Outgoing {
  writeNow(): void
}
