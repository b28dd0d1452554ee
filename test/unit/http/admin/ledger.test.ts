import { expect, test } from 'bun:test'
import { money } from '../../../../src/domain/index.ts'
import { ask } from '../../../support/ask.ts'
import { settleMicrotasks } from '../../../support/fake-clock.ts'
import { ACCOUNT, MODEL } from '../../../support/house.ts'
import { completion } from '../../../support/sse.ts'
import { type AdminWorld, adminWorld, refusal } from './support.ts'

/** Requests that are served, one after another: 10 tokens in, 5 out, 30,000 nano-dollars each. */
async function serve(world: AdminWorld, count: number): Promise<void> {
  world.agent('north').plays(completion('Hello', 10, 5))
  for (let at = 0; at < count; at++) {
    await (await ask(world).answer).text()
    await settleMicrotasks()
  }
}

test('200: a settlement with its usage, offer and money', async () => {
  await using world = adminWorld()
  await serve(world, 1)
  const { status, body } = await world.call('GET', '/ledger/settlements')
  expect(status).toBe(200)
  expect(body).toEqual({
    data: [
      {
        seq: expect.any(Number),
        request_id: expect.stringMatching(/^req_/),
        account_id: ACCOUNT,
        key_id: 'key_test',
        end: 'settled',
        reason: 'completed',
        usage: { input: 10, cached_input: 0, cache_write: 0, output: 5, reasoning: 0 },
        usage_source: 'reported',
        offer: `north/${MODEL}`,
        backend: 'north',
        cost_usd: '0.00003',
        cost_nano: 30_000,
        charged_usd: '0.00003',
        charged_nano: 30_000,
        overrun_usd: '0.00',
        overrun_nano: 0,
        expense_usd: '0.00',
        expense_nano: 0,
        held_usd: expect.any(String),
        held_nano: expect.any(Number),
        ended_at_ms: world.clock.wallMs(),
      },
    ],
    has_more: false,
    next: null,
  })
  const [row] = body.data
  expect(row.held_nano).toBeGreaterThanOrEqual(row.charged_nano)
})

test('settlements are paged newest first, and kept apart by account', async () => {
  await using world = adminWorld()
  world.store.seedAccount({ id: 'acc_other' })
  await serve(world, 3)
  const first = (await world.call('GET', `/ledger/settlements?account=${ACCOUNT}&limit=2`)).body
  const rest = (await world.call('GET', `/ledger/settlements?limit=2&after=${first.next}`)).body
  const numbers = [...first.data, ...rest.data].map(({ seq }) => seq)
  expect(numbers.length).toBe(3)
  expect(numbers).toEqual(numbers.toSorted((one, other) => other - one))
  expect(rest.next).toBeNull()
  expect((await world.call('GET', '/ledger/settlements?account=acc_other')).body.data).toEqual([])
  expect(await world.call('GET', '/ledger/settlements?account=nobody')).toMatchObject(
    refusal(404, 'not_found', 'account'),
  )
  expect(await world.call('GET', '/ledger/settlements?after=req_1')).toMatchObject(
    refusal(400, 'invalid_request', 'after'),
  )
})

test('200: verify proves what is right, with sums as text that no reader rounds', async () => {
  await using world = adminWorld({ balanceUsd: '1.00' })
  await serve(world, 2)
  expect(await world.call('POST', '/ledger/verify')).toMatchObject({
    status: 200,
    body: {
      clean: true,
      faults: [],
      accounts: 1,
      settlements: 2,
      open_holds: 0,
      balance_sum_usd: '0.99994',
      balance_sum_nano: '999940000',
    },
  })
})

test('200: verify names what is wrong', async () => {
  await using world = adminWorld({ balanceUsd: '1.00' })
  const row = world.store.tables.accounts.get(ACCOUNT)
  if (row === undefined) throw new Error('no account')
  world.store.tables.accounts.set(ACCOUNT, { ...row, balance: money(999) })
  const { body } = await world.call('POST', '/ledger/verify')
  expect(body.clean).toBe(false)
  expect(body.faults[0]).toContain(ACCOUNT)
  world.store.tables.accounts.set(ACCOUNT, row)
})
