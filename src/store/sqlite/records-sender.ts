import type { Log } from '../../telemetry/index.ts'
import type { Thread } from '../../threads/index.ts'
import type { Learned } from '../learned-contract.ts'
import type { SealedContent } from '../records-contract.ts'
import type { WriterCalls } from './writer-protocol.ts'

const CONTENTS_MAX = 64 // each of up to a megabyte

/** Sends the writer thread what goes to the records beside the ledger's batches: best effort, what is lost is logged. */
export class RecordsSender {
  readonly #thread: Thread<WriterCalls>
  readonly #log: Pick<Log, 'warn'>
  #contents = 0 // on their way to the thread

  constructor(thread: Thread<WriterCalls>, log: Pick<Log, 'warn'>) {
    this.#thread = thread
    this.#log = log
  }

  learned(learned: Learned): void {
    this.#thread.call('learned', JSON.stringify(learned)).catch((error: Error) => {
      this.#log.warn('learned_lost', { message: error.message })
    })
  }

  content(content: SealedContent): void {
    const lost = (message: string): void => {
      this.#log.warn('content_lost', { request_id: content.requestId, message })
    }
    if (this.#contents >= CONTENTS_MAX) {
      lost('too many are being written')
      return
    }
    this.#contents++
    const sending = this.#thread.call('content', JSON.stringify(content))
    sending
      .catch((error: Error) => lost(error.message))
      .finally(() => {
        this.#contents--
      })
  }
}
