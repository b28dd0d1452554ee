import { GatewayError } from '../../domain/index.ts'
import { type Clock, DAY_MS, errorText } from '../../lib/index.ts'
import type { Log } from '../../telemetry/index.ts'
import { startThread, type Thread } from '../../threads/index.ts'
import type { Reader } from '../contract.ts'
import type { ReaderCalls } from './reader-protocol.ts'

export interface ReaderClientOptions {
  readonly spawn: () => Worker
  readonly dataFolder: string
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

const READ_MS = 5000
const USAGE_MS = 60_000 // reads every settlement of a time, in pages
const LEARNED_MS = 30_000 // once, at the start, when the disk is cold
const BACKUP_MS = DAY_MS // as long as the disk takes
const VERIFY_MS = 600_000 // reads every row there is, in pages; other reads get their turn between them

/**
 * The reader as the main thread sees it. Every call has a deadline; one that fails rejects with `GatewayError` `storage_unavailable`. A thread
 * that died is started again by the next call.
 */
export class ReaderClient implements Reader {
  readonly #options: ReaderClientOptions
  #thread: Thread<ReaderCalls> | null = null
  #isClosed = false

  constructor(options: ReaderClientOptions) {
    this.#options = options
  }

  /** Starts the thread ahead of the first call. */
  async open(): Promise<void> {
    await this.#start()
  }

  accounts(...page: Parameters<Reader['accounts']>) {
    return this.#ask((thread) => thread.call('accounts', page, READ_MS))
  }

  accountNamed(...which: Parameters<Reader['accountNamed']>) {
    return this.#ask((thread) => thread.call('accountNamed', which, READ_MS))
  }

  keys(...which: Parameters<Reader['keys']>) {
    return this.#ask((thread) => thread.call('keys', which, READ_MS))
  }

  key(...which: Parameters<Reader['key']>) {
    return this.#ask((thread) => thread.call('key', which, READ_MS))
  }

  listedKeys(...wish: Parameters<Reader['listedKeys']>) {
    return this.#ask((thread) => thread.call('listedKeys', wish, READ_MS))
  }

  listedKey(...which: Parameters<Reader['listedKey']>) {
    return this.#ask((thread) => thread.call('listedKey', which, READ_MS))
  }

  accountFigures(...which: Parameters<Reader['accountFigures']>) {
    return this.#ask((thread) => thread.call('accountFigures', which, READ_MS))
  }

  entries(...which: Parameters<Reader['entries']>) {
    return this.#ask((thread) => thread.call('entries', which, READ_MS))
  }

  webhook(...which: Parameters<Reader['webhook']>) {
    return this.#ask((thread) => thread.call('webhook', which, READ_MS))
  }

  webhooks(...which: Parameters<Reader['webhooks']>) {
    return this.#ask((thread) => thread.call('webhooks', which, READ_MS))
  }

  eventsDue(...which: Parameters<Reader['eventsDue']>) {
    return this.#ask((thread) => thread.call('eventsDue', which, READ_MS))
  }

  events(...which: Parameters<Reader['events']>) {
    return this.#ask((thread) => thread.call('events', which, READ_MS))
  }

  refundable(...which: Parameters<Reader['refundable']>) {
    return this.#ask((thread) => thread.call('refundable', which, READ_MS))
  }

  lotsDue(...which: Parameters<Reader['lotsDue']>) {
    return this.#ask((thread) => thread.call('lotsDue', which, READ_MS))
  }

  settlements(...which: Parameters<Reader['settlements']>) {
    return this.#ask((thread) => thread.call('settlements', which, READ_MS))
  }

  holds(...which: Parameters<Reader['holds']>) {
    return this.#ask((thread) => thread.call('holds', which, READ_MS))
  }

  records(...page: Parameters<Reader['records']>) {
    return this.#ask((thread) => thread.call('records', page, READ_MS))
  }

  record(...which: Parameters<Reader['record']>) {
    return this.#ask((thread) => thread.call('record', which, READ_MS))
  }

  content(...which: Parameters<Reader['content']>) {
    return this.#ask((thread) => thread.call('content', which, READ_MS))
  }

  contents(...which: Parameters<Reader['contents']>) {
    return this.#ask((thread) => thread.call('contents', which, READ_MS))
  }

  usageFaults() {
    return this.#ask((thread) => thread.call('usageFaults', [], VERIFY_MS))
  }

  quarantine() {
    return this.#ask((thread) => thread.call('quarantine', [], READ_MS))
  }

  ownCredentials(...which: Parameters<Reader['ownCredentials']>) {
    return this.#ask((thread) => thread.call('ownCredentials', which, READ_MS))
  }

  ownCredential(...which: Parameters<Reader['ownCredential']>) {
    return this.#ask((thread) => thread.call('ownCredential', which, READ_MS))
  }

  storedThings(...query: Parameters<Reader['storedThings']>) {
    return this.#ask((thread) => thread.call('storedThings', query, READ_MS))
  }

  observed(...which: Parameters<Reader['observed']>) {
    return this.#ask((thread) => thread.call('observed', which, LEARNED_MS))
  }

  sticky(...which: Parameters<Reader['sticky']>) {
    return this.#ask((thread) => thread.call('sticky', which, LEARNED_MS))
  }

  usage(...query: Parameters<Reader['usage']>) {
    return this.#ask((thread) => thread.call('usage', query, USAGE_MS))
  }

  managementKeys(...page: Parameters<Reader['managementKeys']>) {
    return this.#ask((thread) => thread.call('managementKeys', page, READ_MS))
  }

  managementKey(...which: Parameters<Reader['managementKey']>) {
    return this.#ask((thread) => thread.call('managementKey', which, READ_MS))
  }

  audit(...which: Parameters<Reader['audit']>) {
    return this.#ask((thread) => thread.call('audit', which, READ_MS))
  }

  verify() {
    return this.#ask((thread) => thread.call('verify', [], VERIFY_MS))
  }

  proveNext() {
    return this.#ask((thread) => thread.call('proveNext', [], VERIFY_MS))
  }

  postings(...page: Parameters<Reader['postings']>) {
    return this.#ask((thread) => thread.call('postings', page, READ_MS))
  }

  integrity() {
    return this.#askAside((thread) => thread.call('integrity', [], VERIFY_MS))
  }

  /** Its caller is the operator, who is told why it cannot be made. */
  backup(...name: Parameters<Reader['backup']>) {
    return this.#askAside((thread) => thread.call('backup', name, BACKUP_MS)).catch((error: GatewayError) => {
      const why = String(error.details.internal ?? error.message)
      throw new GatewayError('conflict', `The backup was not made: ${why}.`)
    })
  }

  /** Closes the thread's files, so that they are free when this resolves, and ends the thread. Never rejects. */
  async close(): Promise<void> {
    const thread = this.#thread
    this.#isClosed = true
    this.#thread = null
    await thread?.call('close', null, READ_MS).catch((error: Error) => {
      this.#options.log.warn('reader_close_failed', { message: error.message })
    })
    thread?.end()
  }

  /** In a thread of its own: it cannot pause, and other reads would wait for it past their deadline. */
  async #askAside<R>(call: (thread: Thread<ReaderCalls>) => Promise<R>): Promise<R> {
    const own = new ReaderClient(this.#options)
    try {
      return await own.#ask(call)
    } finally {
      await own.close()
    }
  }

  async #ask<R>(call: (thread: Thread<ReaderCalls>) => Promise<R>): Promise<R> {
    try {
      return await call(this.#thread ?? (await this.#start()))
    } catch (error) {
      throw new GatewayError('storage_unavailable', 'This cannot be read now. Please try again later.', {
        internal: errorText(error),
      })
    }
  }

  /** Calls of a thread run in their order, so a call made right after `open` finds the files open. */
  #start(): Promise<Thread<ReaderCalls>> {
    const { spawn, clock, log, dataFolder } = this.#options
    if (this.#isClosed) return Promise.reject(new Error('the store is closed'))
    const thread = startThread<ReaderCalls, never>({
      spawn,
      clock,
      onEvent: () => {},
      onDeath: (error) => {
        if (this.#thread === thread) this.#thread = null
        log.warn('reader_died', { message: error.message })
      },
    })
    this.#thread = thread
    return thread.call('open', { dataFolder }, READ_MS).then(() => thread)
  }
}
