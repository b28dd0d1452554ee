import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { NO_LIMITS } from '../../src/domain/index.ts'
import type { Ledger } from '../../src/ledger/index.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { FaultPanel } from '../../src/store/sqlite/faults.ts'
import { type FakeClock, fakeClock } from '../support/fake-clock.ts'
import { type MakeLedger, SILENT } from './ledger-model.ts'

export const KINDS = ['prepaid', 'unmetered'] as const
export const IDS = KINDS.map((kind) => `acc_${kind}`)
export const PRICE = { input: 1_000_000, output: 1_500_000 }
export const COVERED = { offer: 'north/m1', backend: 'north', price: PRICE, cost: null, promptUnits: 3 }

/** One life of the process. */
export interface Session {
  readonly store: Store
  readonly ledger: Ledger
  readonly faults: FaultPanel
  readonly clock: FakeClock
  readonly open: string[]
  /** Callers that have not been told yet. */
  waiting: number
  isDead: boolean
}

/** What callers were told is on disk: no restart may take any of it back. */
export interface World {
  readonly folder: string
  readonly make: MakeLedger
  session: Session
  requests: number
  readonly heldOnDisk: Set<string>
  readonly checkpoints: Map<string, Set<number>>
  readonly chargedOnDisk: Map<string, number>
  readonly entriesOnDisk: Map<number, number>
  /** Of each request: its account, and the most that was held for it. */
  readonly payers: Map<string, { readonly account: number; most: number }>
}

export async function openSession(folder: string, make: MakeLedger): Promise<Session> {
  const clock = fakeClock()
  const faults = new FaultPanel()
  const onFatal = (): void => {
    session.isDead = true
  }
  const store = await openStore({
    dataFolder: folder,
    money: { crash: 'delivered' },
    clock,
    log: SILENT,
    onFatal,
    faults,
  })
  const ledger = make({ reads: store.reads, writer: store.writer, clock, log: SILENT, onEvict: () => {} })
  const session: Session = { store, ledger, faults, clock, open: [], waiting: 0, isDead: false }
  return session
}

export async function openAccounts({ store, ledger }: Session): Promise<void> {
  for (const id of IDS) {
    const row = await store.reads.account(id)
    if (row !== null) ledger.open(row)
  }
}

/** Makes the database itself do something that it must not: a trigger, in the writer's own transaction. */
function seedDefect(folder: string, trigger: string): void {
  const ledger = new Database(join(folder, 'ledger.db'))
  ledger.run('PRAGMA busy_timeout = 2000')
  ledger.run(trigger)
  ledger.close()
}

export async function startWorld(folder: string, make: MakeLedger, defect: string | null): Promise<World> {
  const session = await openSession(folder, make)
  const { store } = session
  for (const [at, kind] of KINDS.entries()) {
    const accountId = IDS[at] ?? ''
    await store.writer.createAccount({ id: accountId, name: accountId, kind, createdAtMs: 0 })
    await store.writer.createKey({
      id: `key_${kind}`,
      accountId,
      name: 'k',
      hash: `hash-${kind}`,
      prefix: 'sk-',
      ...NO_LIMITS,
      createdAtMs: 0,
    })
  }
  await openAccounts(session)
  const told = { heldOnDisk: new Set<string>(), chargedOnDisk: new Map(), entriesOnDisk: new Map() }
  if (defect !== null) seedDefect(folder, defect)
  return { folder, make, session, requests: 0, checkpoints: new Map(), payers: new Map(), ...told }
}

/** Counts a caller in until it is told, and says what it was told if that was good news. */
export function wait<T>(session: Session, told: Promise<T>, then: (value: T) => void): void {
  session.waiting += 1
  const done = (): void => {
    session.waiting -= 1
  }
  told.then(then).then(done, done)
}
