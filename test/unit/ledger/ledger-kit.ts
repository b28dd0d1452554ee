import { type AccountKind, type CoveredOffer, money, NO_USAGE, type Settlement } from '../../../src/domain/index.ts'
import { createLedger } from '../../../src/ledger/index.ts'
import type { NewEntry } from '../../../src/store/index.ts'
import type { Log } from '../../../src/telemetry/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { createStoreDouble } from '../../support/store-double.ts'

export const COVERED: CoveredOffer = {
  offer: 'north/m1',
  backend: 'north',
  price: { input: 1_000_000, output: 2_000_000 },
  cost: { input: 500_000, output: 1_000_000 },
  promptUnits: 5,
}

interface World {
  readonly kind?: AccountKind
  readonly balance?: number
  readonly accountsOpenMax?: number
  readonly keysOpenMax?: number
}

/** A ledger on a store double, with `acc_1` open. */
export function openWorld({ kind = 'prepaid', balance = 100, accountsOpenMax = 10, keysOpenMax = 10 }: World = {}) {
  const double = createStoreDouble()
  const lines: { event: string; fields: unknown }[] = []
  const line = (event: string, fields?: unknown) => void lines.push({ event, fields })
  const log: Log = { info: line, warn: line, error: line, fatal: line, flush: async () => {} }
  const evicted: string[] = []
  const clock = fakeClock()
  const onEvict = (accountId: string) => void evicted.push(accountId)
  const ledger = createLedger({
    reads: double.reads,
    writer: double.writer,
    clock,
    log,
    onEvict,
    accountsOpenMax,
    keysOpenMax,
  })
  const open = (id: string, amount = balance) =>
    ledger.open({ account: double.seedAccount({ id, kind, balance: money(amount) }), balance: money(amount) })
  open('acc_1')
  const hold = (requestId: string, amount: number, accountId = 'acc_1', keyId = 'key_1') =>
    ledger.hold({ requestId, accountId, keyId, amount: money(amount), covers: [COVERED] })
  const funds = () => ledger.funds('acc_1')
  return { ledger, double, lines, evicted, clock, open, hold, funds }
}

/** Settled with reported usage: 1 nano-dollar a prompt token, 2 a token of the answer. */
export const settled = (requestId: string, input: number, output = 0): Settlement => ({
  requestId,
  end: 'settled',
  reason: 'completed',
  usage: { ...NO_USAGE, input, output },
  usageSource: 'reported',
  covered: COVERED,
})

export const voided = (requestId: string): Settlement => ({
  requestId,
  end: 'voided',
  reason: 'no_answer',
  usage: NO_USAGE,
  usageSource: null,
  covered: null,
})

export const entry = (amount: number): NewEntry => ({
  kind: amount > 0 ? 'top_up' : 'adjustment',
  accountId: 'acc_1',
  amount: money(amount),
  note: null,
  actor: 'local:0',
  atMs: 0,
})

/** Funds, as plain numbers. */
export const amounts = (balance: number, held: number): unknown => ({ balance, held, available: balance - held })
