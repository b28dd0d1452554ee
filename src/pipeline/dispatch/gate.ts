import type { StreamEvent } from '../../dialects/index.ts'
import type { ProviderError } from '../../domain/index.ts'

const EVENTS_HELD_MAX = 64
const BYTES_HELD_MAX = 256 * 1024

/** What the start of a stream says: nothing yet, go ahead, or that it is no answer. */
export type GateView =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open' }
  | { readonly kind: 'error'; readonly error: ProviderError }

/** Looks at the start of a streamed answer, before the commit point: holds events back until the first content. */
export interface Gate {
  /** Takes the next events. Once open, nothing may be fed any more. */
  see(events: readonly StreamEvent[]): GateView
  /** What was held back, in order. */
  readonly held: readonly StreamEvent[]
}

const CLOSED: GateView = { kind: 'closed' }
const OPEN: GateView = { kind: 'open' }

/** Opens at the first content, or when 64 events or 256 KB came without any. */
export function createGate(): Gate {
  const held: StreamEvent[] = []
  let bytes = 0
  return {
    held,
    see(events) {
      let view = CLOSED
      for (const event of events) {
        // An error after the first content is the relay's to tell: the commit point is passed.
        if (event.kind === 'error' && view === CLOSED) return { kind: 'error', error: event.error }
        held.push(event)
        bytes += event.bytes.byteLength
        if (event.kind === 'content') view = OPEN
      }
      return held.length > EVENTS_HELD_MAX || bytes > BYTES_HELD_MAX ? OPEN : view
    },
  }
}
