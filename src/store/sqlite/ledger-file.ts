import type { Recovery } from '../contract.ts'
import { applyBatch } from './apply-batch.ts'
import type { Batch, BatchEnd } from './batch.ts'
import { type Connection, rollBack, writableConnection } from './connection.ts'
import type { Faults } from './faults.ts'
import { LedgerStatements } from './ledger-statements.ts'
import { MigrationError, migrate, type TellMigration } from './migrate.ts'
import { migrationsFolder } from './migrations-folder.ts'
import { type RecoverOptions, recover } from './recover.ts'
import { describeError, failureKind, sqliteErrorCode } from './sqlite-error.ts'

export interface LedgerFileOptions extends RecoverOptions {
  readonly path: string
  readonly faults: Faults
  readonly tellMigration?: TellMigration
}

const PAGES_MAX = 4_294_967_294 // SQLite's own bound

/** The ledger file in the writer thread: one transaction and one wait for the disk per batch. */
export class LedgerFile {
  readonly recovery: Recovery
  readonly #path: string
  readonly #faults: Faults
  #db: Connection
  #statements: LedgerStatements
  #pagesMax = PAGES_MAX

  /** Opens, migrates and recovers. Throws when any of it fails: then the file is as it was. */
  constructor({ path, crash, wallMs, faults, tellMigration }: LedgerFileOptions) {
    this.#path = path
    this.#faults = faults
    try {
      this.#db = writableConnection(path, 'FULL')
    } catch (error) {
      throw new Error(`${path} cannot be opened: ${describeError(error)}${advice(error)}`)
    }
    try {
      migrate({ db: this.#db, path, folder: migrationsFolder('ledger'), wallMs, tell: tellMigration })
      this.#statements = statementsOf(this.#db)
      this.#db.run('BEGIN IMMEDIATE')
      this.recovery = recover(this.#statements, { crash, wallMs })
      this.#db.run('COMMIT')
    } catch (error) {
      this.#db.close()
      throw error instanceof MigrationError ? error : new Error(`${path} cannot be used: ${describeError(error)}`)
    }
  }

  /** Never throws: what became of the batch is in the answer. */
  write(batch: Batch): BatchEnd {
    const { epoch } = this.recovery
    let applied: ReturnType<typeof applyBatch> | null = null
    try {
      this.#boundPages()
      this.#db.run('BEGIN IMMEDIATE')
      const result = applyBatch(this.#statements, batch, epoch)
      this.#statements.markBatch(batch.number, epoch)
      applied = result
      this.#faults.commit(() => this.#db.run('COMMIT'))
      this.#faults.note(`${this.#path}-wal`, () => this.lastSettlement())
      return { kind: 'committed', ...applied }
    } catch (error) {
      const isOnDisk = this.#settleFailure(error, batch.number)
      if (isOnDisk instanceof Error) return { kind: 'fatal', message: isOnDisk.message }
      if (isOnDisk && applied !== null) return { kind: 'committed', ...applied }
      return { kind: 'failed', message: describeError(error) }
    }
  }

  /** The last settlement's number, 0 when there is none. */
  lastSettlement(): number {
    return this.#statements.lastSettlement()
  }

  /** Brings the write-ahead log into the file and closes it. */
  close(): void {
    this.#db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    this.#db.close()
  }

  /**
   * Whether the batch reached the disk in spite of the error. Undone for certain, or in doubt: after reopening, the mark of the last batch in
   * the same file tells. The answer is an error when this process must not write any more.
   */
  #settleFailure(error: unknown, batchNumber: number): boolean | Error {
    const kind = failureKind(error)
    if (kind === 'fatal' || kind === 'refused') {
      this.#tryRollBack()
      return new Error(describeError(error))
    }
    try {
      if (kind === 'doubt' || !this.#tryRollBack()) this.#reopen()
      return this.#statements.lastBatch(this.recovery.epoch) === batchNumber
    } catch (later) {
      return new Error(`${describeError(error)}, and then ${describeError(later)}`)
    }
  }

  #tryRollBack(): boolean {
    try {
      rollBack(this.#db)
      return true
    } catch {
      return false
    }
  }

  #reopen(): void {
    this.#tryRollBack()
    this.#db.close()
    this.#db = writableConnection(this.#path, 'FULL')
    this.#statements = statementsOf(this.#db)
  }

  #boundPages(): void {
    const pagesMax = this.#faults.pagesMax ?? PAGES_MAX
    if (pagesMax !== this.#pagesMax) this.#db.run(`PRAGMA max_page_count = ${pagesMax}`)
    this.#pagesMax = pagesMax
    if (this.#faults.isNoting) this.#db.run('PRAGMA journal_size_limit = 0') // else what was written before stays behind it
  }
}

/** What helps against a file that is damaged; one that may not be opened is another matter. */
const advice = (error: unknown): string =>
  /^SQLITE_(NOTADB|CORRUPT)/.test(sqliteErrorCode(error) ?? '') ? '. Put the data folder back from a copy' : ''

/**
 * The statements of a connection whose files are the database's own from now on: what undoes a step that changes more than 16 pages would be in a
 * file of its own, where the machine keeps such, and no batch may fail because that cannot be had. Migrations, which may be large, come before.
 */
function statementsOf(db: Connection): LedgerStatements {
  db.run('PRAGMA temp_store = MEMORY')
  return new LedgerStatements(db)
}
