import type { CancelTimer, Clock } from '../../lib/index.ts'
import type { Learned } from '../learned-contract.ts'
import type { RecordBounds, SealedContent } from '../records-contract.ts'
import { type Connection, rollBack, writableConnection } from './connection.ts'
import type { Faults } from './faults.ts'
import { LearnedQueue } from './learned-queue.ts'
import { migrate, type TellMigration } from './migrate.ts'
import { migrationsFolder } from './migrations-folder.ts'
import { pruneRecords } from './prune-records.ts'
import type { RecordValues } from './record-values.ts'
import { type RecordsStatements, recordsStatements } from './records-statements.ts'
import { SettlementsAtOnce } from './settlements-at-once.ts'
import { describeError, failureKind } from './sqlite-error.ts'

export interface RecordsFileOptions {
  readonly path: string
  readonly ledgerPath: string
  /** The ledger's last settlement. */
  readonly lastSettlement: () => number
  readonly clock: Clock
  readonly faults: Faults
  readonly tellMigration?: TellMigration
  readonly onTrouble: (event: string, fields: Readonly<Record<string, string | number>>) => void
}

interface Open {
  readonly db: Connection
  readonly statements: RecordsStatements
}

const WAITING_MAX = 10_000
const GATHER_MS = 50 // one commit for what comes meanwhile: under load that is a third of the thread's work
const ROWS_AT_ONCE = 32 // a fraction of a millisecond
const RETRY_MS = 1000
const RETRY_MS_MAX = 60_000
const CLOSING_US_MAX = 2_000_000 // who stops it waits; the next start goes on where this one ends

/**
 * The records file in the writer thread. It follows the ledger's settlements by number and writes what it was handed beside them, each round in
 * one transaction with its watermark, some rows at a time: a request waits for the ledger's batch, and that for no record. Trouble with the file is
 * logged and tried again later; it never reaches the ledger.
 */
export class RecordsFile {
  readonly #options: RecordsFileOptions
  #waiting: RecordValues[] = []
  /** Those of the round under way: they wait again when it fails. */
  #taken: readonly RecordValues[] = []
  #round: Generator<void, boolean> | null = null
  readonly #learned = new LearnedQueue()
  readonly #atOnce = new SettlementsAtOnce()
  #open: Open | null = null
  #retry: CancelTimer | null = null
  #gathering: CancelTimer | null = null
  #retryMs = RETRY_MS
  #lost = 0

  constructor(options: RecordsFileOptions) {
    this.#options = options
  }

  /** Takes records to write; when too many wait, the oldest are lost, and the log says how many so far. */
  add(records: readonly RecordValues[]): void {
    for (const record of records) this.#waiting.push(record)
    this.#boundWaiting()
  }

  #boundWaiting(): void {
    const lost = Math.max(0, this.#waiting.length - WAITING_MAX)
    if (lost > 0) this.#waiting = this.#waiting.slice(lost)
    this.#lost += lost
  }

  /** Takes what was learned to the next round. */
  learn(learned: Learned): void {
    this.#learned.add(learned)
    this.writeSoon()
  }

  /** One step of pruning: answers whether more is left. Throws when the file is out of order now. */
  prune(bounds: RecordBounds): boolean {
    return this.#apart(({ db }) => pruneRecords(db, bounds))
  }

  /** Writes what a request said and was answered; an error is the caller's to tell. */
  keepContent(content: SealedContent): void {
    this.#apart(({ statements }) => statements.writeContent(content))
  }

  /** Those that are still there; an error is the caller's to tell. */
  resealContents(contents: readonly SealedContent[]): void {
    this.#apart(({ statements }) => {
      for (const content of contents) statements.resealContent(content)
    })
  }

  /** A round in a moment: nobody waits for the records. */
  writeSoon(): void {
    this.#gathering ??= this.#options.clock.after(GATHER_MS, () => {
      this.#gathering = null
      if (this.#round === null) this.#writeInTurns()
      else this.writeSoon()
    })
  }

  /** One round at once, or the rest of the one under way. False when it failed or when more is left to follow; then another is on its way already. */
  write(): boolean {
    let end = this.#step()
    while (end === 'under_way') end = this.#step()
    return end === 'up_to_date'
  }

  /** What comes between two steps, batches of the ledger above all, has its turn. */
  #writeInTurns(): void {
    if (this.#step() !== 'under_way') return
    setImmediate(() => {
      if (this.#round !== null) this.#writeInTurns()
    })
  }

  /** Goes on with the round under way, or begins one. */
  #step(): 'under_way' | 'up_to_date' | 'again' {
    if (this.#retry !== null) return 'again'
    try {
      this.#open ??= this.#openFile()
      this.#round ??= this.#writeRound(this.#open)
      const beganUs = this.#options.clock.monotonicUs()
      const { done, value: isUpToDate } = this.#round.next()
      this.#atOnce.stepTook(this.#options.clock.monotonicUs() - beganUs)
      if (done !== true) return 'under_way'
      this.#round = null
      this.#atOnce.roundEnded()
      this.#retryMs = RETRY_MS
      if (isUpToDate) return 'up_to_date'
      this.#again(0)
    } catch (error) {
      this.#round = null
      this.#waiting = [...this.#taken, ...this.#waiting]
      this.#taken = []
      this.#boundWaiting()
      const message = describeError(error)
      this.#options.onTrouble('records_failed', { message, waiting: this.#waiting.length, lost: this.#lost })
      this.#closeFile()
      this.#again(this.#retryMs)
      this.#retryMs = Math.min(RETRY_MS_MAX, 2 * this.#retryMs)
    }
    return 'again'
  }

  /** Writes what is left, as far as that works, and closes the file. */
  close(): void {
    this.#gathering?.()
    this.#gathering = null
    this.#endRound() // it knows nothing of what came after it began
    const { clock } = this.#options
    const beganUs = clock.monotonicUs()
    do this.#cancelRetry()
    while (!this.write() && this.#open !== null && clock.monotonicUs() - beganUs < CLOSING_US_MAX)
    this.#cancelRetry()
    this.#closeFile()
  }

  #endRound(): void {
    if (this.#round !== null) this.write()
  }

  #cancelRetry(): void {
    this.#retry?.()
    this.#retry = null
  }

  #again(delayMs: number): void {
    this.#retry = this.#options.clock.after(delayMs, () => {
      this.#retry = null
      this.#writeInTurns()
    })
  }

  /** The steps of a round; at last, whether all is followed. */
  *#writeRound({ db, statements }: Open): Generator<void, boolean> {
    const last = this.#options.lastSettlement()
    const from = statements.watermark()
    const to = Math.min(last, from + this.#atOnce.count)
    if (this.#waiting.length === 0 && this.#learned.isEmpty && to <= from) return true
    this.#taken = this.#waiting
    this.#waiting = []
    // Not IMMEDIATE: that would take the attached ledger's lock for writing, too.
    db.run('BEGIN')
    for (const [at, record] of this.#taken.entries()) {
      this.#writeRecord(statements, record)
      if ((at + 1) % ROWS_AT_ONCE === 0) yield
    }
    for (let after = from; after < to; after += ROWS_AT_ONCE) {
      yield
      statements.followMoney(after, Math.min(after + ROWS_AT_ONCE, to))
    }
    yield
    if (to > from) {
      statements.sumUp(from, to)
      yield
    }
    if (!this.#learned.isEmpty) statements.writeLearned(this.#learned.all())
    this.#options.faults.commitRecords(() => db.run('COMMIT'))
    this.#taken = []
    this.#learned.clear()
    return to >= last
  }

  /** A record that the table refuses is dropped alone: it would be refused again. */
  #writeRecord(statements: RecordsStatements, record: RecordValues): void {
    try {
      statements.writeRecord(record)
    } catch (error) {
      if (failureKind(error) !== 'refused') throw error
      this.#options.onTrouble('record_refused', { request_id: record[0][0], message: describeError(error) })
    }
  }

  /** A transaction beside the rounds. */
  #apart<T>(work: (open: Open) => T): T {
    this.#endRound()
    // A file that failed is closed until its next try; one that is far behind is open between its rounds.
    if (this.#retry !== null && this.#open === null) throw new Error('the records cannot be written now')
    this.#open ??= this.#openFile()
    const open = this.#open
    open.db.run('BEGIN')
    try {
      const done = work(open)
      open.db.run('COMMIT')
      return done
    } catch (error) {
      rollBack(open.db)
      throw error
    }
  }

  #openFile() {
    const { path, ledgerPath, clock, tellMigration: tell } = this.#options
    const db = writableConnection(path, 'NORMAL')
    try {
      migrate({ db, path, folder: migrationsFolder('records'), wallMs: clock.wallMs(), tell })
      db.prepare('ATTACH DATABASE ? AS ledger').run(ledgerPath)
      return { db, statements: recordsStatements(db) }
    } catch (error) {
      db.close()
      throw error
    }
  }

  #closeFile(): void {
    const open = this.#open
    this.#open = null
    if (open === null) return
    try {
      rollBack(open.db)
    } catch {
      // the connection is given up anyway
    }
    open.db.close()
  }
}
