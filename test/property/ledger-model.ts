import { expect } from 'bun:test'
import { type AccountKind, money, NO_TERMS, NO_USAGE } from '../../src/domain/index.ts'
import { createLedger, type Ledger, type LedgerOptions } from '../../src/ledger/index.ts'
import type { Log } from '../../src/telemetry/index.ts'
import { fakeClock, settleMicrotasks } from '../support/fake-clock.ts'
import { createStoreDouble } from '../support/store-double.ts'
import { endLotsOf, grantTo, refundOf } from './credit-model.ts'
import type { Command } from './ledger-commands.ts'
import { availableOf, type Model, type OpenInModel, type LedgerWorld as World } from './ledger-world.ts'

const KINDS: readonly AccountKind[] = ['prepaid', 'prepaid', 'unmetered']
const BALANCES = [100, 0, 20]
const idOf = (at: number): string => `acc_${at}`

// 1 and 1.5 nano-dollars a token: small enough that holds, balances and costs meet, odd enough that rounding shows.
const PRICE = { input: 1_000_000, output: 1_500_000 }
const COVERED = { offer: 'north/m1', backend: 'north', price: PRICE, cost: null, promptUnits: 1 }
const costOfModel = (input: number, output: number): number => Math.ceil((2 * input + 3 * output) / 2)

/** A log that says nothing. */
export const SILENT: Log = { info() {}, warn() {}, error() {}, fatal() {}, async flush() {} }

export type MakeLedger = (options: LedgerOptions) => Ledger

/** Runs the commands on a ledger and on the model, side by side; throws at the first difference between them, or to the disk at the end. */
export async function compareWithModel(list: readonly Command[], make: MakeLedger = createLedger): Promise<void> {
  const world = startWorld(make)
  for (const command of list) {
    step(world, command)
    await settleMicrotasks()
    compare(world)
  }
  for (const requestId of [...endable(world.model).keys()]) end(world, requestId, null)
  step(world, { do: 'heal' })
  compare(world)
  while (world.double.disk.unacknowledged > 0) step(world, { do: 'acknowledge', nth: 0 })
  await settleMicrotasks()
  compare(world)
  await compareWithDisk(world)
}

function startWorld(make: MakeLedger): World {
  const double = createStoreDouble()
  double.disk.holdBack()
  const ledger = make({
    reads: double.reads,
    writer: double.writer,
    clock: fakeClock(),
    log: SILENT,
    onEvict: () => {},
  })
  const accounts = KINDS.map((kind, at) => {
    const balance = BALANCES[at] ?? 0
    ledger.open({
      account: double.seedAccount({ id: idOf(at), kind, balance: money(balance) }),
      balance: money(balance),
    })
    return { kind, balance, held: 0, debits: 0 }
  })
  const ended = { payers: new Map(), refunded: new Map() }
  const disk = { queued: [], batches: [], isFailing: false, isRefusing: false }
  const model = { accounts, open: new Map(), charged: new Map(), entered: 0, ...ended, ...disk }
  return { ledger, double, model, requests: 0, entered: 0 }
}

function step(world: World, command: Command): void {
  const { double, model } = world
  switch (command.do) {
    case 'hold':
      hold(world, command.account, command.amount)
      break
    case 'settle':
      end(world, pick(endable(model), command.nth), command)
      break
    case 'settleWithHold':
      endWithHold(world, pick(endable(model), command.nth), command)
      break
    case 'void':
      end(world, pick(endable(model), command.nth), null)
      break
    case 'extend':
      extend(world, pick(endable(model), command.nth), command.amount)
      break
    case 'endAgain':
      endAgain(world, pick(model.charged, command.nth))
      break
    case 'enter':
      enter(world, command.account, command.amount)
      break
    case 'grant':
      grantTo(world, idOf(command.account), command)
      break
    case 'refund':
      refundOf(world, pick(model.charged, command.nth), command.amount)
      break
    case 'endLots':
      endLotsOf(world, idOf(command.account), command.account)
      break
    case 'openStale':
      openStale(world, command.account)
      break
    case 'commit':
      double.disk.commit()
      commit(model)
      break
    case 'fail':
      double.disk.fail()
      model.isFailing = true
      break
    case 'heal':
      double.disk.heal()
      model.isFailing = false
      commit(model)
      break
    case 'acknowledge':
      acknowledge(world, command.nth)
      break
  }
}

function hold(world: World, at: number, amount: number): void {
  const { ledger, model } = world
  const account = model.accounts[at]
  if (account === undefined) return
  const requestId = `req_${world.requests++}`
  const request = { requestId, accountId: idOf(at), keyId: 'key_0', amount: money(amount), covers: [COVERED] }
  if (model.isRefusing) {
    expect(() => ledger.hold(request)).toThrow('The ledger cannot be written')
    return
  }
  const opened = ledger.hold(request)
  expect(opened !== null).toBe(account.kind === 'unmetered' || availableOf(account) >= amount)
  if (opened === null) return
  opened.durable.catch(() => {})
  account.held += amount
  const release = (): void => {
    if (!model.open.delete(requestId)) return
    account.held -= open.amount
    model.charged.set(requestId, 0)
  }
  const open = { at, amount, hold: { written: () => {}, failed: release }, isEnding: false }
  model.open.set(requestId, open)
  model.queued.push(open.hold)
}

/** Those that are not being ended already. */
const endable = ({ open }: Model): Map<string, OpenInModel> =>
  new Map([...open].filter(([, { isEnding }]) => !isEnding))

/** As much as is left, and no more. */
function extend({ ledger, model }: World, requestId: string | null, wanted: number): void {
  const open = model.open.get(requestId ?? '')
  const account = model.accounts[open?.at ?? 0]
  if (requestId === null || open === undefined || account === undefined) return
  const taken = account.kind === 'unmetered' ? wanted : Math.min(wanted, availableOf(account))
  expect<number>(ledger.extend(requestId, money(wanted), null)).toBe(taken)
  open.amount += taken
  account.held += taken
}

function end(
  { ledger, model }: World,
  requestId: string | null,
  usage: { input: number; output: number } | null,
): void {
  const open = model.open.get(requestId ?? '')
  const account = model.accounts[open?.at ?? 0]
  if (requestId === null || open === undefined || account === undefined) return
  const settled = ledger.settle(settlementOf(requestId, usage))
  const cost = usage === null ? 0 : costOfModel(usage.input, usage.output)
  const charged = account.kind === 'unmetered' ? cost : Math.min(cost, open.amount + availableOf(account))
  account.balance -= charged
  account.held -= open.amount
  model.open.delete(requestId)
  model.charged.set(requestId, charged)
  model.payers.set(requestId, open.at)
  model.queued.push({ written: () => {}, failed: 'kept' })
  expect(settled).toMatchObject({ cost, charged, overrun: cost - charged, balance: account.balance })
}

/** Only while its hold waits for the disk, and for no more than that holds; it is charged when both are on disk, and neither when they fail. */
function endWithHold(
  { ledger, model }: World,
  requestId: string | null,
  usage: { input: number; output: number },
): void {
  const open = model.open.get(requestId ?? '')
  const account = model.accounts[open?.at ?? 0]
  if (requestId === null || open === undefined || account === undefined) return
  const cost = costOfModel(usage.input, usage.output)
  const isPossible = model.queued.includes(open.hold) && cost <= open.amount
  const settled = ledger.settleWithHold(settlementOf(requestId, usage))
  expect(settled !== null).toBe(isPossible)
  if (settled === null) return
  settled.catch(() => {})
  open.isEnding = true
  expect(ledger.settleWithHold(settlementOf(requestId, usage))).toBeNull()
  const written = (): void => {
    account.balance -= cost
    account.held -= open.amount
    model.open.delete(requestId)
    model.charged.set(requestId, cost)
    model.payers.set(requestId, open.at)
  }
  model.queued = [...model.queued.filter((effect) => effect !== open.hold), { written, failed: open.hold.failed }]
}

function endAgain({ ledger, model }: World, requestId: string | null): void {
  if (requestId === null) return
  const { charged } = ledger.settle(settlementOf(requestId, { input: 7, output: 7 }))
  expect<number | undefined>(charged).toBe(model.charged.get(requestId))
}

function settlementOf(requestId: string, usage: { input: number; output: number } | null) {
  const base = { requestId, usage: { ...NO_USAGE, input: usage?.input ?? 0, output: usage?.output ?? 0 } }
  return usage === null
    ? ({ ...base, end: 'voided', reason: 'no_answer', usageSource: null, covered: null } as const)
    : ({ ...base, end: 'settled', reason: 'completed', usageSource: 'reported', covered: COVERED } as const)
}

function enter(world: World, at: number, amount: number): void {
  const { ledger, model } = world
  const account = model.accounts[at]
  if (account === undefined) return
  const kind = amount > 0 ? 'top_up' : 'adjustment'
  const fields = { kind, accountId: idOf(at), amount: money(amount), note: null, actor: 'local:0', atMs: 0 } as const
  ledger.enter(fields).then(
    () => {
      world.entered += 1
    },
    () => {},
  )
  const isPossible = account.kind === 'unmetered' || availableOf(account) + amount >= 0 || amount > 0
  if (amount === 0 || !isPossible) return
  const debit = Math.max(0, -amount)
  account.debits += debit
  const failed = (): void => {
    account.debits -= debit
  }
  const written = (): void => {
    failed()
    account.balance += amount
    model.entered += 1
  }
  model.queued.push({ written, failed })
}

function openStale({ ledger, model }: World, at: number): void {
  const kind = model.accounts[at]?.kind ?? 'prepaid'
  ledger.open({
    account: { id: idOf(at), name: idOf(at), kind, disabled: false, ...NO_TERMS, version: 1 },
    balance: money(5000),
  })
}

function commit(model: Model): void {
  if (model.queued.length === 0 && !model.isRefusing) return
  const batch = model.queued
  model.isRefusing = model.isFailing
  model.queued = model.isFailing ? batch.filter(({ failed }) => failed === 'kept') : []
  model.batches.push(
    batch.flatMap(({ written, failed, commits = () => true }) => {
      if (!model.isFailing && commits()) return [written]
      return failed === 'kept' ? [] : [failed]
    }),
  )
}

function acknowledge({ double, model }: World, at: number): void {
  if (model.batches.length === 0) return
  const index = at % model.batches.length
  double.disk.acknowledge(index)
  for (const effect of model.batches.splice(index, 1)[0] ?? []) effect()
}

function pick(from: ReadonlyMap<string, unknown>, at: number): string | null {
  const keys = [...from.keys()]
  return keys.length === 0 ? null : (keys[at % keys.length] ?? null)
}

function compare({ ledger, double, model, entered }: World): void {
  for (const [at, account] of model.accounts.entries()) {
    const funds = ledger.funds(idOf(at))
    const held = account.held + account.debits
    expect<unknown>(funds).toEqual({ balance: account.balance, held, available: account.balance - held })
    if (account.kind === 'prepaid') expect(funds.available).toBeGreaterThanOrEqual(0)
  }
  expect(ledger.stats().openHolds).toBe(model.open.size)
  expect(entered).toBe(model.entered)
  expect(double.disk.unacknowledged).toBe(model.batches.length)
}

async function compareWithDisk({ ledger, double, model }: World): Promise<void> {
  const { tables, reader } = double
  expect(await reader.verify()).toMatchObject({ clean: true, openHolds: 0 })
  for (const [id, { balance }] of tables.accounts) expect(balance).toBe(ledger.funds(id).balance)
  for (const { requestId, charged } of tables.settlements.values())
    expect<number | undefined>(charged).toBe(model.charged.get(requestId))
}
