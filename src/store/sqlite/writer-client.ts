import type { Checkpoint, FoundCauses, FoundFault, Hold } from '../../domain/index.ts'
import type { CancelTimer, Clock } from '../../lib/index.ts'
import type { Log } from '../../telemetry/index.ts'
import type { Thread } from '../../threads/index.ts'
import type { ChangeNote } from '../change-note.ts'
import type { Durable, RequestRecord, SettlementRow, Writer, WriterStats } from '../contract.ts'
import type { WindowPart } from '../keys-contract.ts'
import type { Learned } from '../learned-contract.ts'
import type { RecordBounds, SealedContent } from '../records-contract.ts'
import type { BatchEnd, Command, CommandAnswers } from './batch.ts'
import { Gathering, type QueuedCommand } from './gathering.ts'
import { HeldBack } from './held-back.ts'
import { queuedHold } from './queued-hold.ts'
import { RecordsSender } from './records-sender.ts'
import { refusalOf, unavailable } from './unavailable.ts'
import { WriterCommands } from './writer-commands.ts'
import type { WriterCalls } from './writer-protocol.ts'

export interface WriterClientOptions {
  readonly thread: Thread<WriterCalls>
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** Once: nothing can be written any more by this process, and what became of the last batch is not known. */
  readonly onFatal: (error: Error) => void
}

const ITEMS_MAX = 10_000
const AGE_MAX_US = 1_000_000
const PROBE_MS = 1000
const RECORDS_WAIT_MS = 100 // nobody waits for them: they go with what is written anyway, or together

/**
 * The writer as the main thread sees it: items gather until the batch in flight has ended, then go out together. After a failed commit
 * it takes no more holds and commands; once a second it sends what must not be lost, and when that is committed it takes them again.
 */
export class WriterClient extends WriterCommands implements Writer {
  readonly #options: WriterClientOptions
  readonly #sender: RecordsSender
  readonly #heldBack: HeldBack
  #state: 'open' | 'failing' | 'closing' | 'dead' = 'open'
  #gathering = new Gathering()
  #inFlight: Gathering | null = null
  #isSendScheduled = false
  #cancelProbe: CancelTimer | null = null
  #cancelRecords: CancelTimer | null = null
  #onBatchEnd: (() => void) | null = null
  #batches = 0
  #items = 0
  #failedCommits = 0
  #recordsLost = 0

  constructor(options: WriterClientOptions) {
    super()
    this.#options = options
    this.#sender = new RecordsSender(options.thread, options.log)
    this.#heldBack = new HeldBack(options.clock, (held) => this.#gather().holds.set(held.hold.requestId, held))
  }

  accepting(): boolean {
    if (this.#state !== 'open' || this.#queued() >= ITEMS_MAX) return false
    const oldestUs = this.#inFlight?.beganUs ?? this.#gathering.beganUs
    return oldestUs === null || this.#options.clock.monotonicUs() - oldestUs <= AGE_MAX_US
  }

  hold(hold: Hold, waitMs = 0): Durable {
    if (!this.accepting()) return Promise.reject(unavailable())
    const held = queuedHold(hold)
    if (waitMs > 0) this.#heldBack.add(held, waitMs)
    else this.#gather().holds.set(hold.requestId, held)
    return held.durable
  }

  hurry(requestId: string): void {
    const held = this.#heldBack.take(requestId)
    if (held !== undefined) this.#gather().holds.set(requestId, held)
  }

  checkpoint(requestId: string, checkpoint: Checkpoint): void {
    if (this.#state !== 'open' && this.#state !== 'failing') return
    this.hurry(requestId) // the row must be there
    this.#gather().checkpoints.set(requestId, checkpoint)
  }

  settle(row: SettlementRow): Durable {
    this.hurry(row.requestId)
    return this.#gather().settle(row)
  }

  settleWithHold(row: SettlementRow): boolean {
    this.hurry(row.requestId)
    return this.#state === 'open' && this.#gathering.settleWithHold(row)
  }

  /** Waits for a batch that goes out anyway: every request ends with a record. */
  window(part: WindowPart): void {
    this.#gathering.windows.add(part)
  }

  foundCauses(causes: FoundCauses): void {
    this.#gather().causes.set(causes.backend, causes)
  }

  foundFault(found: FoundFault): void {
    this.#gather().faults.set(`${found.id} ${found.sealed}`, found)
  }

  record(record: RequestRecord): void {
    if (this.#gathering.records.rows.length >= ITEMS_MAX) this.#recordsLost++
    else this.#gathering.records.push(record)
    this.#cancelRecords ??= this.#options.clock.after(RECORDS_WAIT_MS, () => {
      this.#cancelRecords = null
      if (this.#gathering.count > 0) this.#gather()
    })
  }

  learned(learned: Learned): void {
    if (this.#state !== 'dead') this.#sender.learned(learned)
  }

  pruneRecords(bounds: RecordBounds): Promise<boolean> {
    if (this.#state !== 'open') return Promise.reject(unavailable())
    return this.#options.thread.call('pruneRecords', bounds)
  }

  keepContent(content: SealedContent): void {
    if (this.#state !== 'dead') this.#sender.content(content)
  }

  async resealContents(contents: readonly SealedContent[]): Promise<void> {
    if (this.#state !== 'open') throw unavailable()
    await this.#options.thread.call('resealContents', JSON.stringify(contents))
  }

  protected override wallMs(): number {
    return this.#options.clock.wallMs()
  }

  stats(): WriterStats {
    return {
      queued: this.#queued(),
      batches: this.#batches,
      items: this.#items,
      failedCommits: this.#failedCommits,
    }
  }

  /**
   * Takes no more holds and commands, and resolves when all that was queued is on disk, or cannot be brought there now. False after a
   * fatal failure: then the thread must not touch its files again.
   */
  async close(): Promise<boolean> {
    if (this.#state === 'dead') return false
    let wasFailing = this.#state === 'failing'
    for (const held of this.#heldBack.takeAll()) this.#gather().holds.set(held.hold.requestId, held)
    this.#state = 'closing'
    this.#cancelProbe?.()
    this.#cancelRecords?.()
    while (this.#isOpen() && (this.#inFlight !== null || this.#gathering.count > 0)) {
      const ended = new Promise<void>((resolve) => {
        this.#onBatchEnd = resolve
      })
      const failedBefore = this.#failedCommits
      if (this.#inFlight === null) this.#send()
      await ended
      const failed = this.#failedCommits > failedBefore
      if (failed && wasFailing) break
      wasFailing = failed
    }
    if (!this.#isOpen()) return false
    const settlements = this.#gathering.settlements.rows.length
    if (settlements > 0) {
      this.#options.log.error('settlements_unwritten', { settlements })
    }
    this.#state = 'dead'
    return true
  }

  /** The thread is gone, or must not go on. */
  die(error: Error): void {
    if (this.#state === 'dead') return
    this.#state = 'dead'
    this.#cancelProbe?.()
    this.#cancelRecords?.()
    for (const gathering of [this.#inFlight, this.#gathering]) gathering?.refuse(unavailable(error.message))
    for (const { reject } of this.#heldBack.takeAll()) reject(unavailable(error.message))
    this.#endBatch()
    this.#options.log.error('ledger_fatal', { message: error.message })
    this.#options.onFatal(error)
  }

  // TypeScript would take the state for unchanged over an `await`.
  #isOpen(): boolean {
    return this.#state !== 'dead'
  }

  #queued(): number {
    return (this.#inFlight?.count ?? 0) + this.#gathering.count + this.#heldBack.size
  }

  /** The items of this tick, or of all the time a batch has been in flight. */
  #gather(): Gathering {
    const gathering = this.#gathering
    gathering.beganUs ??= this.#options.clock.monotonicUs()
    if (!this.#isSendScheduled && this.#inFlight === null && this.#state === 'open') {
      this.#isSendScheduled = true
      setImmediate(() => {
        this.#isSendScheduled = false
        if (this.#state === 'open') this.#send()
      })
    }
    return gathering
  }

  protected override command<K extends Command['kind']>(
    command: Extract<Command, { kind: K }>,
    note: ChangeNote | null = null,
  ): Promise<CommandAnswers[K]> {
    if (this.#state !== 'open') return Promise.reject(unavailable())
    return new Promise((resolve, reject) => {
      const take: QueuedCommand['resolve'] = (answer) => resolve(answer as CommandAnswers[K]) // same kind, same order
      this.#gather().commands.push({ command, note, resolve: take, reject })
    })
  }

  #send(): void {
    if (this.#inFlight !== null) return
    const batch = this.#gathering
    this.#gathering = new Gathering()
    this.#inFlight = batch
    this.#batches++
    this.#items += batch.count
    const text = batch.encode(this.#batches, this.#state === 'failing')
    this.#options.thread.call('write', text).then(
      (end) => this.#onEnd(batch, end),
      (error: Error) => this.die(error),
    )
  }

  #onEnd(batch: Gathering, end: BatchEnd): void {
    if (this.#state === 'dead') return
    if (end.kind === 'fatal') {
      this.die(new Error(`the ledger cannot be written: ${end.message}`))
      return
    }
    this.#inFlight = null
    if (end.kind === 'committed') this.#onCommitted(batch, end)
    else this.#onFailed(batch, end.message)
    this.#endBatch()
    if (this.#state === 'open' && this.#gathering.beganUs !== null) this.#send()
  }

  #onCommitted(batch: Gathering, end: Extract<BatchEnd, { kind: 'committed' }>): void {
    for (const [requestId, why] of end.refusedHolds) {
      this.#options.log.error('hold_refused', { request_id: requestId, message: why })
    }
    for (const [at, { resolve, reject }] of batch.commands.entries()) {
      const answer = end.commands[at]
      if (answer?.kind === 'done') resolve(answer.answer)
      else reject(answer === undefined ? unavailable() : refusalOf(answer))
    }
    batch.resolve(end.refusedHolds)
    if (this.#recordsLost > 0) {
      this.#options.log.warn('records_lost', { records: this.#recordsLost })
      this.#recordsLost = 0
    }
    if (this.#state === 'failing') {
      this.#state = 'open'
      this.#options.log.info('ledger_resumed')
    }
  }

  #onFailed(batch: Gathering, message: string): void {
    const { log, clock } = this.#options
    this.#failedCommits++
    const error = unavailable(message)
    batch.refuse(error)
    this.#gathering.refuse(error)
    for (const { reject } of this.#heldBack.takeAll()) reject(error)
    this.#recordsLost += this.#gathering.carry(batch)
    log.error('commit_failed', { message, settlements: this.#gathering.settlements.rows.length })
    if (this.#state === 'closing') return
    this.#state = 'failing'
    this.#cancelProbe = clock.after(PROBE_MS, () => {
      if (this.#state === 'failing') this.#send()
    })
  }

  #endBatch(): void {
    this.#onBatchEnd?.()
    this.#onBatchEnd = null
  }
}
