import { appendFileSync, statSync } from 'node:fs'

/** Failures that tests ask the writer thread for. No configuration reaches them. */
export interface FaultState {
  /** How many commits of the ledger fail from now on. */
  readonly failCommits: number
  /** With which code of SQLite. */
  readonly commitCode: string
  /** The failing commits reach the disk all the same. */
  readonly failAfterCommit: boolean
  /** How long each commit of the ledger takes at least. */
  readonly commitDelayMs: number
  /** The most pages the ledger may have: a full disk. Null: no bound. */
  readonly pagesMax: number | null
  /** The commits of the ledger wait until its first number is 1. */
  readonly gate: Int32Array | null
  /** How many commits of the records fail from now on. */
  readonly failRecords: number
  /** The thread ends itself at the next commit of the ledger. */
  readonly die: 'before_commit' | 'after_commit' | null
  /** A file that is told, after each commit of the ledger and before anybody else, how much of its log is on disk (`CommitNote`). */
  readonly commitNotes: string | null
}

/** A line of that file, in JSON: cut to so many bytes, the log has everything up to this settlement. */
export interface CommitNote {
  readonly walBytes: number
  readonly lastSettlement: number
}

export const NO_FAULTS: FaultState = {
  failCommits: 0,
  commitCode: 'SQLITE_FULL',
  failAfterCommit: false,
  commitDelayMs: 0,
  pagesMax: null,
  gate: null,
  failRecords: 0,
  die: null,
  commitNotes: null,
}

/** The test's end of it: given to `openStore`, which connects it to the thread. */
export class FaultPanel {
  #send: ((change: Partial<FaultState>) => Promise<null>) | null = null

  connect(send: (change: Partial<FaultState>) => Promise<null>): void {
    this.#send = send
  }

  /** Resolves when the thread has taken it: what is committed before that is not touched. */
  async set(change: Partial<FaultState>): Promise<void> {
    await this.#send?.(change)
  }

  /** From now on the commits of the ledger wait, until the function it resolves with is called. */
  async holdCommits(): Promise<() => void> {
    const gate = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    await this.set({ gate })
    return () => {
      Atomics.store(gate, 0, 1)
      Atomics.notify(gate, 0)
    }
  }
}

/** The thread's end of it. */
export class Faults {
  #state = NO_FAULTS

  get pagesMax(): number | null {
    return this.#state.pagesMax
  }

  set(change: Partial<FaultState>): void {
    this.#state = { ...this.#state, ...change }
  }

  /** Runs a commit of the ledger as the state has it. */
  commit(run: () => void): void {
    const { failCommits, commitCode, failAfterCommit, commitDelayMs, gate, die } = this.#state
    if (gate !== null) Atomics.wait(gate, 0, 0)
    if (commitDelayMs > 0) Bun.sleepSync(commitDelayMs)
    if (die === 'before_commit') process.exit(1) // ends this thread alone
    const fails = failCommits > 0
    if (fails) this.set({ failCommits: failCommits - 1 })
    if (!fails || failAfterCommit) run()
    if (die === 'after_commit') process.exit(1)
    if (fails) throw faultError(commitCode)
  }

  /** Whether the log is to be as long as what it holds. */
  get isNoting(): boolean {
    return this.#state.commitNotes !== null
  }

  /** Says what is on disk now. */
  note(walPath: string, lastSettlement: () => number): void {
    const { commitNotes } = this.#state
    if (commitNotes === null) return
    const line: CommitNote = { walBytes: statSync(walPath).size, lastSettlement: lastSettlement() }
    appendFileSync(commitNotes, `${JSON.stringify(line)}\n`)
  }

  /** Runs a commit of the records as the state has it. */
  commitRecords(run: () => void): void {
    const { failRecords } = this.#state
    if (failRecords > 0) {
      this.set({ failRecords: failRecords - 1 })
      throw faultError('SQLITE_IOERR_WRITE')
    }
    run()
  }
}

/** `SQLiteError` itself can only be made by `bun:sqlite`. */
const faultError = (code: string): Error =>
  Object.assign(new Error('a fault that a test asked for'), { name: 'SQLiteError', code })
