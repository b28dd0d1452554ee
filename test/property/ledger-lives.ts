import { expect } from 'bun:test'
import { costOf, money, NO_USAGE, type Settlement } from '../../src/domain/index.ts'
import type { SettlementView, Store } from '../../src/store/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { breathe } from '../support/wire.ts'
import type { MakeLedger } from './ledger-model.ts'
import type { LifeCommand } from './life-commands.ts'
import { endLots, grant, refund } from './life-credits.ts'
import { COVERED, IDS, KINDS, openAccounts, openSession, PRICE, startWorld, type World, wait } from './life-world.ts'

/**
 * Until every caller has been told and all is written, steps and checkpoints too, for which nobody waits; or the writer is
 * dead. The clock runs on, so that failing commits are tried again.
 */
async function flush({ session }: World): Promise<void> {
  while ((session.waiting > 0 || session.store.writer.stats().queued > 0) && !session.isDead) {
    session.clock.advance(1000)
    await breathe()
  }
}

async function step(world: World, command: LifeCommand): Promise<void> {
  const { session } = world
  switch (command.do) {
    case 'hold':
      hold(world, command)
      break
    case 'settle':
      end(world, command.nth, command.input)
      break
    case 'settleWithHold':
      endWithHold(world, command.nth, command.input)
      break
    case 'void':
      end(world, command.nth, null)
      break
    case 'checkpoint': {
      const requestId = session.open[command.nth % session.open.length]
      if (requestId === undefined) break
      session.ledger.checkpoint(requestId, { offer: COVERED.offer, deliveredUnits: command.units })
      world.checkpoints.get(requestId)?.add(command.units)
      break
    }
    case 'extend': {
      const requestId = session.open[command.nth % session.open.length]
      if (requestId === undefined) break
      const taken = session.ledger.extend(requestId, money(command.amount), null)
      const payer = world.payers.get(requestId)
      if (payer !== undefined) payer.most += taken
      // As the relay does: a step is written with how far the stream has come, which stays within what is held.
      session.ledger.checkpoint(requestId, { offer: COVERED.offer, deliveredUnits: command.units })
      world.checkpoints.get(requestId)?.add(command.units)
      break
    }
    case 'enter':
      enter(world, command.account, command.amount)
      break
    case 'refund':
      refund(world, command)
      break
    case 'grant':
      grant(world, command)
      break
    case 'endLots':
      await endLots(world)
      break
    case 'clock':
      session.clock.stepWall(command.ms)
      break
    case 'failCommit':
      await session.faults.set({ failCommits: 1 })
      break
    case 'flush':
      await flush(world)
      await compareWithDisk(world)
      break
    case 'restart':
      await flush(world)
      await reopen(world)
      break
    case 'kill':
      await session.faults.set({ die: command.when })
      await die(world)
      await reopen(world)
  }
}

function hold(world: World, { account: at, amount }: { account: number; amount: number }): void {
  const { session } = world
  const requestId = `req_${String(world.requests++).padStart(6, '0')}`
  if (!session.store.writer.accepting()) return
  const keyId = `key_${KINDS[at]}`
  const opened = session.ledger.hold({
    requestId,
    accountId: IDS[at] ?? '',
    keyId,
    amount: money(amount),
    covers: [COVERED],
  })
  if (opened === null) return
  session.open.push(requestId)
  world.payers.set(requestId, { account: at, most: amount })
  world.checkpoints.set(requestId, new Set())
  wait(session, opened.durable, () => world.heldOnDisk.add(requestId))
}

function end(world: World, at: number, input: number | null): void {
  const { session } = world
  const requestId = session.open[at % session.open.length]
  if (requestId === undefined) return
  session.open.splice(session.open.indexOf(requestId), 1)
  const settlement: Settlement =
    input === null
      ? { requestId, end: 'voided', reason: 'no_answer', usage: NO_USAGE, usageSource: null, covered: null }
      : servedBy(requestId, input)
  const { charged, durable } = session.ledger.settle(settlement)
  wait(session, durable, () => world.chargedOnDisk.set(requestId, charged))
}

/** Nothing happens when its hold is on its way to the disk, or does not cover it. */
function endWithHold(world: World, at: number, input: number): void {
  const { session } = world
  const requestId = session.open[at % session.open.length]
  if (requestId === undefined) return
  const settled = session.ledger.settleWithHold(servedBy(requestId, input))
  if (settled === null) return
  session.open.splice(session.open.indexOf(requestId), 1)
  wait(session, settled, ({ charged }) => world.chargedOnDisk.set(requestId, charged))
}

const servedBy = (requestId: string, input: number): Settlement => ({
  requestId,
  end: 'settled',
  reason: 'completed',
  usage: { ...NO_USAGE, input },
  usageSource: 'reported',
  covered: COVERED,
})

function enter(world: World, at: number, amount: number): void {
  const kind = amount > 0 ? 'top_up' : 'adjustment'
  const accountId = IDS[at] ?? ''
  const fields = { kind, accountId, amount: money(amount), note: null, actor: 'local:0', atMs: 0 } as const
  wait(world.session, world.session.ledger.enter(fields), ({ seq }) => world.entriesOnDisk.set(seq, amount))
}

/** Gives the writer commits to die in. */
async function die({ session }: World): Promise<void> {
  while (!session.isDead) {
    session.ledger
      .enter({
        kind: 'top_up',
        accountId: IDS[0] ?? '',
        amount: money(1),
        note: null,
        actor: 'local:0',
        atMs: 0,
      })
      .catch(() => {})
    session.clock.advance(1000)
    await breathe()
  }
}

/** The next life: what callers were told is there, every hold of the last life has its end, and the books are in order. */
async function reopen(world: World): Promise<void> {
  await world.session.store.close()
  world.session = await openSession(world.folder, world.make)
  const { store } = world.session
  expect(await store.reader.verify()).toMatchObject({ clean: true, faults: [], openHolds: 0 })
  const settlements = new Map((await allSettlements(store)).map((row) => [row.requestId, row]))
  for (const [requestId, charged] of world.chargedOnDisk)
    expect<number | undefined>(settlements.get(requestId)?.charged).toBe(charged)
  for (const requestId of world.heldOnDisk) expect(settlements.has(requestId)).toBe(true)
  for (const row of settlements.values()) if (row.reason === 'crash') compareRecovered(world, row)
  const entries = (await Promise.all(IDS.map((id) => store.reader.entries(id, { limit: 1000, after: null })))).flat()
  const bySeq = new Map(entries.map(({ seq, amount }) => [seq, amount]))
  for (const [seq, amount] of world.entriesOnDisk) expect<number | undefined>(bySeq.get(seq)).toBe(amount)
  for (const [requestId, charged] of world.chargedOnDisk) {
    const given = entries.filter((entry) => entry.requestId === requestId).reduce((sum, { amount }) => sum + amount, 0)
    expect(given).toBeLessThanOrEqual(charged)
  }
  await openAccounts(world.session)
  await compareWithDisk(world)
}

/** Settled at what its last checkpoint had delivered, at most the hold; voided without one. */
function compareRecovered(world: World, { requestId, end, charged, held, usage }: SettlementView): void {
  const reached = world.checkpoints.get(requestId)
  expect(charged).toBeLessThanOrEqual(held)
  expect(held).toBeLessThanOrEqual(world.payers.get(requestId)?.most ?? 0)
  if (end === 'voided') return
  expect(reached?.has(usage.output)).toBe(true)
  const cost = costOf({ ...NO_USAGE, input: COVERED.promptUnits, output: usage.output }, PRICE)
  expect<number>(charged).toBe(Math.min(held, cost))
}

async function allSettlements({ reader }: Store): Promise<readonly SettlementView[]> {
  const all: SettlementView[] = []
  for (;;) {
    const page = await reader.settlements(null, {
      limit: 100,
      after: String(all.at(-1)?.seq ?? Number.MAX_SAFE_INTEGER),
    })
    if (page.length === 0) return all
    all.push(...page)
  }
}

/** With every caller told, memory and disk are one. */
async function compareWithDisk({ session }: World): Promise<void> {
  if (session.isDead) return
  const { store, ledger } = session
  for (const id of IDS) {
    const { balance, available, held } = ledger.funds(id)
    const row = await store.reads.account(id)
    expect(balance).toBe(row?.balance ?? money(-1))
    const holds = await store.reader.holds(id)
    expect<number>(held).toBe(holds.reduce((sum, { amount }) => sum + amount, 0))
    if (row?.account.kind === 'prepaid') expect(available).toBeGreaterThanOrEqual(0)
  }
}

/** Runs the commands in a folder of their own, over a database with this defect if there is one, with a restart at the end; throws at the first thing that a caller was told and that is not so. */
export async function liveThrough(
  list: readonly LifeCommand[],
  make: MakeLedger,
  defect: string | null = null,
): Promise<void> {
  using folder = temporaryFolder()
  const world = await startWorld(folder.path, make, defect)
  try {
    for (const command of list) await step(world, command)
    await step(world, { do: 'restart' })
  } finally {
    await world.session.store.close()
  }
}
