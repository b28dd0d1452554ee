import { expect, test } from 'bun:test'
import { ask } from '../../../support/ask.ts'
import { settleMicrotasks } from '../../../support/fake-clock.ts'
import { ACCOUNT } from '../../../support/house.ts'
import { completion } from '../../../support/sse.ts'
import { type AdminWorld, adminWorld, refusal } from './support.ts'

/** A request that is served: 10 tokens in, 5 out, 30,000 nano-dollars. Answers its id. */
async function serve(world: AdminWorld): Promise<string> {
  world.agent('north').plays(completion('Hello', 10, 5))
  await (await ask(world).answer).text()
  await settleMicrotasks()
  return [...world.store.tables.settlements.keys()].at(-1) ?? ''
}

test('201: all that a request was charged, by either of its ids', async () => {
  await using world = adminWorld({ balanceUsd: '1.00' })
  const requestId = await serve(world)
  expect(Number(world.funds().balance)).toBe(999_970_000)
  const body = { request: requestId.replace('req_', 'gen-'), note: 'a broken answer' }
  const answer = await world.call('POST', '/credits/refunds', body)
  expect(answer).toMatchObject({
    status: 201,
    body: { kind: 'refund', request_id: requestId, amount_nano: 30_000, balance_after_usd: '1.00', note: body.note },
  })
  expect(Number(world.funds().available)).toBe(1_000_000_000)
  const history = await world.call('GET', `/credits?account=${ACCOUNT}`)
  expect(history.body.data[0]).toEqual(answer.body)
  expect(await world.call('POST', '/credits/refunds', body)).toMatchObject(refusal(409, 'conflict'))
})

test('201: in parts, the last of which is what is left', async () => {
  await using world = adminWorld({ balanceUsd: '1.00' })
  const request = await serve(world)
  expect((await world.call('POST', '/credits/refunds', { request, usd: '0.00001' })).status).toBe(201)
  expect(await world.call('POST', '/credits/refunds', { request, usd: '0.00003' })).toMatchObject(
    refusal(409, 'conflict'),
  )
  expect((await world.call('POST', '/credits/refunds', { request })).body.amount_nano).toBe(20_000)
})

test('the same Idempotency-Key gives back once', async () => {
  await using world = adminWorld({ balanceUsd: '1.00' })
  const request = await serve(world)
  const again = () => world.call('POST', '/credits/refunds', { request, usd: '0.00001' }, { 'idempotency-key': 'r-1' })
  const [one, other] = [await again(), await again()]
  expect(other.body).toEqual(one.body)
  expect(other.headers.get('idempotent-replayed')).toBe('true')
  expect(Number(world.funds().balance)).toBe(999_980_000)
})

test.each([
  ['an amount below zero', { usd: '-1' }, 'usd'],
  ['an amount of zero', { usd: '0' }, 'usd'],
  ['another form of id', { request: 'abc' }, 'request'],
])('400: %s', async (_what, wrong, param) => {
  await using world = adminWorld()
  const body = { request: `req_${'0'.repeat(32)}`, ...wrong }
  expect(await world.call('POST', '/credits/refunds', body)).toMatchObject(refusal(400, 'invalid_request', param))
})

test('404: no such request', async () => {
  await using world = adminWorld()
  const body = { request: `req_${'0'.repeat(32)}` }
  expect(await world.call('POST', '/credits/refunds', body)).toMatchObject(refusal(404, 'not_found', 'request'))
})
