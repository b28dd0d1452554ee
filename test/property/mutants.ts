import { money, NO_USAGE, ZERO } from '../../src/domain/index.ts'
import { createLedger, type Ledger } from '../../src/ledger/index.ts'
import type { MakeLedger } from './ledger-model.ts'

/** A deliberate fault that the property tests must find: a test that cannot fail becomes visible. */
export interface LedgerMutant {
  readonly name: string
  readonly make: MakeLedger
}

/** Wraps the real ledger. Its methods are its prototype's, so each is taken over by name. */
function wrap(ledger: Ledger, changed: Partial<Ledger>): Ledger {
  return {
    open: (row) => ledger.open(row),
    isOpen: (accountId) => ledger.isOpen(accountId),
    funds: (accountId) => ledger.funds(accountId),
    isKeyOpen: (keyId) => ledger.isKeyOpen(keyId),
    openKey: (keyId) => ledger.openKey(keyId),
    budgetLeft: (keyId, budgets, heldAtMs) => ledger.budgetLeft(keyId, budgets, heldAtMs),
    hold: (request) => ledger.hold(request),
    settleWithHold: (settlement) => ledger.settleWithHold(settlement),
    hurry: (requestId) => ledger.hurry(requestId),
    extend: (requestId, wanted, budgets) => ledger.extend(requestId, wanted, budgets),
    checkpoint: (requestId, checkpoint) => ledger.checkpoint(requestId, checkpoint),
    settle: (settlement, budgets) => ledger.settle(settlement, budgets),
    enter: (entry) => ledger.enter(entry),
    endLots: (lots) => ledger.endLots(lots),
    endLeaks: (isAlive) => ledger.endLeaks(isAlive),
    stats: () => ledger.stats(),
    ...changed,
  }
}

/** The second end of a hold is charged like the first. */
const doubleSettle: MakeLedger = (options) => {
  const ledger = createLedger(options)
  const accountOf = new Map<string, string>()
  const ended = new Set<string>()
  return wrap(ledger, {
    hold(request) {
      accountOf.set(request.requestId, request.accountId)
      return ledger.hold(request)
    },
    settle(settlement) {
      const { requestId } = settlement
      const accountId = accountOf.get(requestId)
      const again = `${requestId}_again`
      if (!ended.has(requestId) || ended.has(again) || accountId === undefined || !options.writer.accepting()) {
        ended.add(requestId)
        return ledger.settle(settlement)
      }
      ended.add(again)
      ledger.hold({ requestId: again, accountId, keyId: 'key_0', amount: ZERO, covers: [] })
      return ledger.settle({ ...settlement, requestId: again })
    },
  })
}

/** A request that costs more than it holds, or whose hold is on its way already, is settled as if the two were one row. */
const alwaysWithHold: MakeLedger = (options) => {
  const ledger = createLedger(options)
  return wrap(ledger, {
    settleWithHold(settlement) {
      const withHold = ledger.settleWithHold(settlement)
      return withHold ?? Promise.resolve(ledger.settle(settlement))
    },
  })
}

/** What is written in its hold's place is charged in memory, and free on disk. */
const freeWithHold: MakeLedger = (options) => {
  const { writer } = options
  const settleWithHold: typeof writer.settleWithHold = (row) =>
    writer.settleWithHold({ ...row, cost: ZERO, charged: ZERO })
  return createLedger({ ...options, writer: { ...writer, settleWithHold } })
}

/** A voided request's money stays set aside. */
const voidKeepsHold: MakeLedger = (options) => {
  const ledger = createLedger(options)
  return wrap(ledger, {
    settle(settlement) {
      if (settlement.end === 'settled') return ledger.settle(settlement)
      return {
        cost: ZERO,
        charged: ZERO,
        overrun: ZERO,
        balance: ledger.funds('acc_0').balance,
        durable: Promise.resolve(),
      }
    },
  })
}

/** Nobody hears that the commit of a hold failed: its money stays set aside. */
const failedCommitKeepsHold: MakeLedger = (options) => {
  const { writer } = options
  return createLedger({ ...options, writer: { ...writer, hold: (hold) => writer.hold(hold).catch(() => {}) } })
}

/** A request is charged what it cost, whatever its account has. */
const chargedBeyondFunds: MakeLedger = (options) => {
  const ledger = createLedger(options)
  const prepaid = new Set<string>()
  return wrap(ledger, {
    open({ account, balance }) {
      if (account.kind === 'prepaid') prepaid.add(account.id)
      ledger.open({ account: { ...account, kind: 'unmetered' }, balance })
    },
    hold(request) {
      const { accountId, amount } = request
      if (prepaid.has(accountId) && options.writer.accepting() && ledger.funds(accountId).available < amount)
        return null
      return ledger.hold(request)
    },
  })
}

/** A top-up reaches the disk and not the memory. */
const lostCredit: MakeLedger = (options) => {
  const ledger = createLedger(options)
  return wrap(ledger, {
    enter: (entry) => (entry.kind === 'top_up' ? options.writer.enter(entry) : ledger.enter(entry)),
  })
}

/** A top-up can be spent before it is on disk. */
const earlyCredit: MakeLedger = (options) =>
  createLedger({
    ...options,
    writer: {
      ...options.writer,
      enter(entry) {
        if (entry.amount < 0) return options.writer.enter(entry)
        options.writer.enter(entry).catch(() => {})
        return Promise.resolve({ ...entry, seq: 0, balanceAfter: ZERO })
      },
    },
  })

/** A debit does not count until it is written: it can be spent meanwhile. */
const debitNotSetAside: MakeLedger = (options) => {
  const ledger = createLedger(options)
  return wrap(ledger, {
    enter(entry) {
      if (entry.amount >= 0) return ledger.enter(entry)
      const written = options.writer.enter(entry)
      return written
    },
  })
}

/** A hold is measured against what was available before the last one: two at once can spend the same money. */
const heldTooLate: MakeLedger = (options) => {
  const ledger = createLedger(options)
  const prepaid = new Set<string>()
  const before = new Map<string, number>()
  return wrap(ledger, {
    open(row) {
      if (row.account.kind === 'prepaid') prepaid.add(row.account.id)
      ledger.open(row)
    },
    hold(request) {
      const { accountId, amount } = request
      if (!prepaid.has(accountId) || !options.writer.accepting()) return ledger.hold(request)
      const { available } = ledger.funds(accountId)
      const seen = before.get(accountId) ?? available
      before.set(accountId, available)
      return seen >= amount ? ledger.hold({ ...request, amount: money(Math.min(amount, available)) }) : null
    },
  })
}

/** What an account could not pay counts as never having cost anything: the operator's loss is not recorded. */
const overrunForgotten: MakeLedger = (options) => {
  const { writer } = options
  const settle: typeof writer.settle = (row) => writer.settle({ ...row, cost: row.charged, overrun: ZERO })
  const ledger = createLedger({ ...options, writer: { ...writer, settle } })
  return wrap(ledger, {
    settle(settlement) {
      const settled = ledger.settle(settlement)
      return { ...settled, cost: settled.charged, overrun: ZERO }
    },
  })
}

/** A step of a hold is taken whatever the account has. */
const extendedBeyondFunds: MakeLedger = (options) => {
  const ledger = createLedger(options)
  return wrap(ledger, {
    extend(requestId, wanted, budgets) {
      const taken = ledger.extend(requestId, wanted, budgets)
      return taken === 0 ? taken : wanted
    },
  })
}

/** A step of a hold is told to its stream and set aside nowhere: the same money can be held again. */
const stepNotCounted: MakeLedger = (options) => {
  const ledger = createLedger(options)
  const payers = new Map<string, string>()
  return wrap(ledger, {
    hold(request) {
      payers.set(request.requestId, request.accountId)
      return ledger.hold(request)
    },
    extend(requestId, wanted) {
      const payer = payers.get(requestId)
      return payer === undefined ? ZERO : money(Math.max(0, Math.min(wanted, ledger.funds(payer).available)))
    },
  })
}

/** A settled request is written as voided: charged in memory, free on disk. */
const settledOnDiskAsVoid: MakeLedger = (options) => {
  const { writer } = options
  const settle: typeof writer.settle = (row) =>
    writer.settle({ ...row, end: 'voided', usage: NO_USAGE, covered: null, cost: ZERO, charged: ZERO, overrun: ZERO })
  return createLedger({ ...options, writer: { ...writer, settle } })
}

/** A lot ends although running requests hold it: the balance no longer covers what is held. */
const heldLotEnds: MakeLedger = (options) => {
  const ledger = createLedger(options)
  return wrap(ledger, {
    endLots(lots) {
      const over = lots.map((lot) => ({ ...lot, expiresAtMs: 0 })) // every hold was opened after that
      return ledger.endLots(over)
    },
  })
}

/** The end of a lot reaches the disk and not the memory. */
const lotEndForgotten: MakeLedger = (options) => {
  const ledger = createLedger(options)
  return wrap(ledger, {
    async endLots(lots) {
      const ends = lots.map(({ seq: lot, accountId, remaining: amountMax }) =>
        options.writer.endLot({ lot, accountId, amountMax, actor: 'system', atMs: 0 }),
      )
      return (await Promise.all(ends)).filter((entry) => entry !== null)
    },
  })
}

/** No defect at all: the same wrapper, so that what the others fail for is their fault alone. */
export const unchangedLedger: MakeLedger = (options) => wrap(createLedger(options), {})

/** The list that `ledger-model.test.ts` must find, one by one. */
export const ledgerMutants: readonly LedgerMutant[] = [
  { name: 'double settle', make: doubleSettle },
  { name: 'settled with a hold that does not cover it', make: alwaysWithHold },
  { name: 'settled with its hold in memory, free on disk', make: freeWithHold },
  { name: 'hold not released by a void', make: voidKeepsHold },
  { name: 'hold not released by a failed commit', make: failedCommitKeepsHold },
  { name: 'charged above held + available', make: chargedBeyondFunds },
  { name: 'lost credit', make: lostCredit },
  { name: 'credit before it is on disk', make: earlyCredit },
  { name: 'debit not set aside', make: debitNotSetAside },
  { name: 'hold measured against old funds', make: heldTooLate },
  { name: 'step beyond what is available', make: extendedBeyondFunds },
  { name: 'step not counted', make: stepNotCounted },
  { name: 'overrun forgotten', make: overrunForgotten },
  { name: 'charged in memory, free on disk', make: settledOnDiskAsVoid },
  { name: 'a lot that is held ends', make: heldLotEnds },
  { name: 'the end of a lot is not known in memory', make: lotEndForgotten },
]
