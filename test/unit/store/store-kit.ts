import { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type CoveredOffer, GatewayError, type Hold, money, NO_LIMITS, NO_USAGE } from '../../../src/domain/index.ts'
import { openStore, type RequestRecord, type SettlementRow, type Store } from '../../../src/store/index.ts'
import type { StoreOptions } from '../../../src/store/open.ts'
import { FaultPanel } from '../../../src/store/sqlite/faults.ts'
import { type FakeClock, fakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { breathe } from '../../support/wire.ts'

/** An open store in a folder of its own, with everything a test can turn. */
export interface StoreKit {
  readonly folder: string
  readonly clock: FakeClock
  readonly faults: FaultPanel
  /** Lines of the log, as `event`. */
  readonly log: string[]
  readonly fatal: Error[]
  store: Store
  /** Closes and opens again. */
  reopen(options?: Partial<StoreOptions>): Promise<Store>
  /** A connection of the test's own. */
  raw(file?: 'ledger.db' | 'records.db'): Database
  end(): Promise<void>
}

/** A new folder; whoever asks for it removes it. */
export const tempFolder = (): string => temporaryFolder().path

export async function storeKit(more: Partial<StoreOptions> = {}): Promise<StoreKit> {
  const folder = more.dataFolder ?? tempFolder()
  const log: string[] = []
  const fatal: Error[] = []
  const faults = new FaultPanel()
  const clock = fakeClock()
  const write = (event: string) => {
    log.push(event)
  }
  const open = (changed: Partial<StoreOptions> = {}) =>
    openStore({
      dataFolder: folder,
      money: { crash: 'delivered' },
      clock,
      log: { info: write, warn: write, error: write },
      onFatal: (error) => fatal.push(error),
      faults,
      ...more,
      ...changed,
    })
  const kit: StoreKit = {
    folder,
    clock,
    faults,
    log,
    fatal,
    store: await open(),
    async reopen(options) {
      await kit.store.close()
      kit.store = await open(options)
      return kit.store
    },
    raw: (file = 'ledger.db') => new Database(join(folder, file), { readwrite: true, strict: true }),
    async end() {
      await kit.store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return kit
}

/** An account `acc_1` with a key `key_1` and some money. */
export async function fundedAccount(store: Store, balance = 1_000_000): Promise<void> {
  await store.writer.createAccount({ id: 'acc_1', name: 'acme', kind: 'prepaid', createdAtMs: 1 })
  await store.writer.createKey({
    id: 'key_1',
    accountId: 'acc_1',
    name: 'first',
    hash: 'hash-1',
    prefix: 'sk-abc',
    ...NO_LIMITS,
    createdAtMs: 1,
  })
  if (balance > 0) await store.writer.enter(topUp(balance))
}

/** One whose account has two requests settled, and a hold still open. */
export async function usedKit(): Promise<StoreKit> {
  const kit = await storeKit()
  await fundedAccount(kit.store)
  await kit.store.writer.hold(holdOf('req_open'))
  await Promise.all(['req_1', 'req_2'].map((id) => kit.store.writer.settle(settled(id))))
  return kit
}

export const topUp = (amount: number, accountId = 'acc_1') =>
  ({ kind: 'top_up', accountId, amount: money(amount), note: null, actor: 'local:0', atMs: 2 }) as const

/** Input costs 1 nano-dollar a token, output 2; the provider bills half of it. */
export const OFFER: CoveredOffer = {
  offer: 'acme/small',
  backend: 'acme',
  price: { input: 1_000_000, output: 2_000_000 },
  cost: { input: 500_000, output: 1_000_000 },
  promptUnits: 100,
}

export const holdOf = (requestId: string, amount = 1000, accountId = 'acc_1'): Hold => ({
  requestId,
  accountId,
  keyId: 'key_1',
  openedAtMs: 5,
  amount: money(amount),
  covers: [OFFER],
})

export const settled = (requestId: string, charged = 300, accountId = 'acc_1'): SettlementRow => ({
  requestId,
  accountId,
  keyId: 'key_1',
  end: 'settled',
  reason: 'completed',
  usage: { ...NO_USAGE, input: 100, output: 100 },
  usageSource: 'reported',
  covered: OFFER,
  cost: money(charged),
  charged: money(charged),
  overrun: money(0),
  expense: money(150),
  held: money(1000),
  heldAtMs: 5,
  endedAtMs: 9,
})

export const voided = (requestId: string): SettlementRow => ({
  ...settled(requestId, 0),
  end: 'voided',
  reason: 'no_answer',
  usage: NO_USAGE,
  usageSource: null,
  covered: null,
  expense: money(0),
})

export const recordOf = (requestId: string): RequestRecord => ({
  requestId,
  generationId: requestId.replace('req_', 'gen-'),
  clientRequestId: null,
  accountId: 'acc_1',
  keyId: 'key_1',
  operation: 'chat.completions',
  modelAsked: 'small',
  model: 'acme/small',
  backend: 'acme',
  stream: true,
  status: 200,
  errorCode: null,
  startedAtMs: 7,
  timing: {
    gwUs: 30,
    stages: [
      ['gw-recv', 10],
      ['gw-auth', 20],
    ],
    upstreamUs: 500,
    postUs: 5,
    postHoldUs: 2,
    totalUs: 535,
    endedUs: 900,
  },
  skips: [{ offer: 'other/small', backend: 'other', rule: 'enabled', reason: 'switched off' }],
  attempts: [
    {
      number: 1,
      offer: 'acme/small',
      backend: 'acme',
      credential: 'main',
      outcome: 'succeeded',
      reason: null,
      status: 200,
      startedUs: 40,
      endedUs: 540,
      timing: {
        dnsUs: 1,
        connectUs: 2,
        tlsUs: null,
        writeUs: 3,
        firstByteUs: 400,
        connection: 'new',
        connectionAgeMs: null,
      },
      absorbed: false,
    },
  ],
})

export async function balanceOf(store: Store, accountId = 'acc_1'): Promise<number> {
  const row = await store.reads.account(accountId)
  if (row === null) throw new Error(`no account ${accountId}`)
  return row.balance
}

/** Waits until something in another thread has come about, asking again on every turn of the event loop. */
export async function until<T>(ask: () => Promise<T>, is: (value: T) => boolean): Promise<T> {
  for (let turn = 0; turn < 100_000; turn++) {
    const value = await ask()
    if (is(value)) return value
    await breathe()
  }
  throw new Error('it did not come about')
}

/** The code of the `GatewayError` that a promise rejects with. */
export const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: unknown) => (error instanceof GatewayError ? error.code : `another error: ${error}`),
  )
