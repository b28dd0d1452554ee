import type { Hold } from '../../domain/index.ts'
import type { Durable } from '../contract.ts'

/** A hold, and who waits for it to be on disk. */
export interface QueuedHold {
  readonly hold: Hold
  readonly durable: Durable
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** Makes one. Nobody need wait for it: that it fails is no unhandled rejection. */
export function queuedHold(hold: Hold): QueuedHold {
  const { promise: durable, resolve, reject } = Promise.withResolvers<void>()
  durable.catch(ignore)
  return { hold, durable, resolve, reject }
}

const ignore = (): void => {}
