import type { Checkpoint } from '../../domain/index.ts'
import type { CancelTimer, Clock } from '../../lib/index.ts'

/** Tells the ledger from time to time how far a stream has come, so that a crash loses seconds of it and no more. */
export interface Meter {
  /** Something was handed to the client. */
  delivered(): void
  stop(): void
}

const CHECKPOINT_MS = 5000

/** A meter that writes a checkpoint at most every 5 s, and only when something came since the last one. */
export function createMeter(clock: Clock, reached: () => Checkpoint, write: (checkpoint: Checkpoint) => void): Meter {
  let cancel: CancelTimer | null = null
  return {
    delivered() {
      cancel ??= clock.after(CHECKPOINT_MS, () => {
        cancel = null
        write(reached())
      })
    },
    stop() {
      cancel?.()
      cancel = null
    },
  }
}
