import type { ReplyStream } from '../../dialects/index.ts'
import type { Checkpoint } from '../../domain/index.ts'
import type { CancelTimer, Clock } from '../../lib/index.ts'
import type { Credit } from './credit.ts'

/** Tells the ledger how far a stream has come: from time to time, so that a crash loses seconds of it and no more, and when more has to be set aside. */
export interface Meter {
  /** Something was handed to the client. False when nothing is left to pay more with: the stream must end. */
  delivered(): boolean
  stop(): void
}

const CHECKPOINT_MS = 5000

export interface MeterOf {
  readonly reply: Pick<ReplyStream, 'textBytes'>
  readonly credit: Credit
  readonly reached: () => Checkpoint
  readonly write: (checkpoint: Checkpoint) => void
}

/** A meter that writes a checkpoint every 5 s at most, and only when something came since the last one; and one with each step of the hold. */
export function createMeter(clock: Clock, { reply, credit, reached, write }: MeterOf): Meter {
  let cancel: CancelTimer | null = null
  return {
    delivered() {
      cancel ??= clock.after(CHECKPOINT_MS, () => {
        cancel = null
        write(reached())
      })
      if (reply.textBytes < credit.untilBytes) return true
      const isPaid = credit.extend(reply.textBytes)
      write(reached())
      return isPaid
    },
    stop() {
      cancel?.()
      cancel = null
    },
  }
}
