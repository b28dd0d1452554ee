import { expect, test } from 'bun:test'
import { type CoveredOffer, money, NO_USAGE } from '../../../../src/domain/index.ts'
import type { SettlementView } from '../../../../src/store/index.ts'
import { ACCOUNT } from '../../../support/house.ts'
import { adminWorld, refusal } from './support.ts'

const DAY_MS = 86_400_000
const FIRST_DAY_MS = Date.UTC(2027, 0, 10)
const OFFER: CoveredOffer = {
  offer: 'north/acme/m',
  backend: 'north',
  price: { input: 1, output: 1 },
  cost: null,
  promptUnits: 1,
}

/** The fake clock starts at 2027-01-15T08:00:00Z. */
function world() {
  const made = adminWorld()
  const { tables } = made.store
  made.store.seedAccount({ id: 'acc_other' })
  const add = (requestId: string, row: Partial<SettlementView>) =>
    tables.settlements.set(requestId, {
      seq: tables.settlements.size + 1,
      requestId,
      accountId: ACCOUNT,
      keyId: 'key_test',
      end: 'settled',
      reason: 'completed',
      usage: { ...NO_USAGE, input: 10, output: 5 },
      usageSource: 'reported',
      covered: OFFER,
      cost: money(2_000_000_000),
      charged: money(1_500_000_000),
      overrun: money(500_000_000),
      expense: money(700_000_000),
      held: money(1_500_000_000),
      heldAtMs: FIRST_DAY_MS,
      endedAtMs: FIRST_DAY_MS,
      ...row,
    })
  add('req_1', {})
  add('req_2', { endedAtMs: FIRST_DAY_MS + DAY_MS - 1 })
  add('req_3', { endedAtMs: FIRST_DAY_MS + DAY_MS, accountId: 'acc_other' })
  const nothing = { cost: money(0), charged: money(0), overrun: money(0), expense: money(0) }
  add('req_4', { end: 'voided', reason: 'no_answer', usage: NO_USAGE, usageSource: null, covered: null, ...nothing })
  // The disposal of the world verifies balances: what was seeded here was never charged.
  return { call: made.call, end: () => tables.settlements.clear(), [Symbol.asyncDispose]: made[Symbol.asyncDispose] }
}

test('200: one sum of thirty days, when nothing else is asked for', async () => {
  await using api = world()
  const { status, body } = await api.call('GET', '/usage')
  api.end()
  expect(status).toBe(200)
  expect(body).toEqual({
    by: [],
    since_ms: (Math.floor(body.until_ms / DAY_MS) - 30) * DAY_MS,
    until_ms: expect.any(Number),
    data: [
      {
        requests: 4,
        voided: 1,
        units: { input: 30, cached_input: 0, cache_write: 0, output: 15, reasoning: 0 },
        cost_usd: '6.00',
        cost_nano: '6000000000',
        charged_usd: '4.50',
        charged_nano: '4500000000',
      },
    ],
    has_more: false,
    next: null,
  })
})

test('200: by day, account, backend and model, with what the providers bill', async () => {
  await using api = world()
  const { body } = await api.call('GET', '/usage?by=day,account,backend,model,key&cost=1')
  api.end()
  expect(body.data).toMatchObject([
    { day: '2027-01-10', account_id: ACCOUNT, account_name: ACCOUNT, backend: 'north', model: 'acme/m', requests: 2 },
    { day: '2027-01-10', account_id: ACCOUNT, backend: null, model: null, requests: 1, voided: 1, expense_usd: '0.00' },
    {
      day: '2027-01-11',
      account_id: 'acc_other',
      key_id: 'key_test',
      key_name: 'key_test',
      expense_usd: '0.70',
      expense_nano: '700000000',
    },
  ])
})

test('200: a time includes its beginning and not its end, in any of its forms', async () => {
  await using api = world()
  const requests = async (query: string) => (await api.call('GET', `/usage?${query}`)).body.data[0]?.requests ?? 0
  expect(await requests('since=2027-01-10&until=2027-01-11')).toBe(3)
  expect(await requests('since=2027-01-11')).toBe(1)
  expect(await requests(`since=${FIRST_DAY_MS + 1}&until=${FIRST_DAY_MS + DAY_MS}`)).toBe(1)
  expect(await requests('since=2027-01-10T23:59:59.999Z&until=2027-01-11T00:00:00.001Z')).toBe(2)
  expect(await requests('since=2027-01-10&account=acc_other')).toBe(1)
  expect(await requests('since=2027-01-12')).toBe(0)
  api.end()
})

test.each([
  ['by=month', 'by'],
  ['by=day,day', 'by'],
  ['by=day,', 'by'],
  ['since=yesterday', 'since'],
  ['since=2027-13-01', 'since'],
  ['until=2027-02-30', 'until'],
  ['since=2027-01-10T12:00:00', 'since'], // whose time?
  ['since=-5', 'since'],
  ['since=2027-01-10&until=2027-01-10', 'since'],
  ['until=1e99', 'until'],
  ['cost=yes', 'cost'],
])('400: %s', async (query, param) => {
  await using api = world()
  const answer = await api.call('GET', `/usage?${query}`)
  api.end()
  expect(answer).toMatchObject(refusal(400, 'invalid_request', param))
})

test('404: an unknown account', async () => {
  await using api = world()
  const answer = await api.call('GET', '/usage?account=nobody')
  api.end()
  expect(answer).toMatchObject(refusal(404, 'not_found', 'account'))
})

test('400: more rows than anybody reads', async () => {
  await using world = adminWorld()
  Object.assign(world.store.reader, { usage: async () => ({ kind: 'too_many' }) })
  expect(await world.call('GET', '/usage?by=key')).toMatchObject(refusal(400, 'invalid_request', 'by'))
})
