import type { ExchangeTiming } from '../domain/index.ts'
import type { Clock } from '../lib/index.ts'
import type { Exchange, ExchangeFailure, ExchangeObserver, ReplyHead } from './contract.ts'

/** An answer that was read to its end. */
export interface WholeAnswer {
  readonly kind: 'answer'
  readonly head: ReplyHead
  readonly body: Uint8Array
  /** From the sending to the answer's head, and to its end. */
  readonly headUs: number
  readonly tookUs: number
  readonly timing: ExchangeTiming
}

/** What keeps an answer from being whole, beside what fails the exchange itself. */
export interface GivenUp {
  readonly kind: 'given_up'
  readonly reason: 'total_timeout' | 'too_large' | 'aborted'
  readonly message: string
  /** All of the request had been written. */
  readonly sent: boolean
}

export interface WholeBounds {
  readonly clock: Clock
  readonly totalMs: number
  readonly bodyBytesMax: number
  readonly signal?: AbortSignal | undefined
}

/** Sends one request and takes in its whole answer, within bounds. A slot stays the caller's; it is free when this settles. Rejects only for what `send` throws. */
export function wholeAnswer(
  send: (observer: ExchangeObserver) => Exchange,
  { clock, totalMs, bodyBytesMax, signal }: WholeBounds,
): Promise<WholeAnswer | ExchangeFailure | GivenUp> {
  return new Promise((resolve) => {
    const startedUs = clock.monotonicUs()
    let head: ReplyHead = { status: 0, headers: [] }
    let headUs = 0
    const pieces: Uint8Array[] = []
    let size = 0
    const exchange = send({
      head(given) {
        head = given
        headUs = clock.monotonicUs() - startedUs
      },
      body(bytes) {
        size += bytes.byteLength
        if (size > bodyBytesMax) giveUp('too_large', `an answer of more than ${bodyBytesMax} bytes`)
        else pieces.push(bytes)
      },
      end() {
        const tookUs = clock.monotonicUs() - startedUs
        end({ kind: 'answer', head, body: Buffer.concat(pieces), headUs, tookUs, timing: exchange.timing() })
      },
      failure: (failure) => end(failure),
    })
    const end = (answer: WholeAnswer | ExchangeFailure | GivenUp): void => {
      cancelTimer()
      signal?.removeEventListener('abort', onAbort)
      resolve(answer)
    }
    const giveUp = (reason: GivenUp['reason'], message: string): void => {
      const sent = exchange.sentCompletely
      exchange.abort()
      end({ kind: 'given_up', reason, message, sent })
    }
    const cancelTimer = clock.after(totalMs, () =>
      giveUp('total_timeout', `no whole answer within ${totalMs / 1000} s`),
    )
    const onAbort = (): void => giveUp('aborted', 'it was not wanted any more')
    signal?.addEventListener('abort', onAbort)
    if (signal?.aborted) onAbort()
  })
}
