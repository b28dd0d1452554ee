import { expect, test } from 'bun:test'
import { endLots } from '../../../../src/jobs/index.ts'
import { settleMicrotasks } from '../../../support/fake-clock.ts'
import { ACCOUNT } from '../../../support/house.ts'
import { adminWorld, refusal } from './support.ts'

test('201: credit that ends is live at once, and leaves when its time is over', async () => {
  await using world = adminWorld({ balanceUsd: '1.00' })
  const { house, store, clock } = world
  const stop = endLots({ ...house, reader: store.reader })
  const ends = clock.wallMs() + 60_000
  const wish = { account: ACCOUNT, usd: '5.00', expires_at_ms: ends, note: 'welcome' }
  const { status, body } = await world.call('POST', '/credits/grants', wish)
  expect(status).toBe(201)
  expect(body).toMatchObject({ kind: 'promo_grant', seq: 2, lot: 2, expires_at_ms: ends, balance_after_usd: '6.00' })
  expect(Number(world.funds().available)).toBe(6_000_000_000)
  for (const seconds of [50, 10]) {
    clock.advance(seconds * 1000)
    await settleMicrotasks()
  }
  expect(Number(world.funds().available)).toBe(1_000_000_000)
  const history = await world.call('GET', `/credits?account=${ACCOUNT}`)
  expect(history.body.data.slice(0, 2)).toMatchObject([
    { kind: 'promo_expiry', lot: 2, amount_usd: '-5.00', actor: 'system' },
    { kind: 'promo_grant', lot: 2, remaining_usd: '0.00' },
  ])
  stop()
})

test('what a request holds of it stays until that request ends', async () => {
  await using world = adminWorld({ balanceUsd: '0.00' })
  const { house, store, clock } = world
  const stop = endLots({ ...house, reader: store.reader })
  const wish = { account: ACCOUNT, usd: '0.0000001', expires_at_ms: clock.wallMs() + 60_000 }
  await world.call('POST', '/credits/grants', wish)
  const funds = house.ledger.funds(ACCOUNT)
  const held = { requestId: 'req_1', accountId: ACCOUNT, keyId: 'key_test', covers: [] }
  house.ledger.hold({ ...held, amount: funds.available })
  clock.advance(60_000)
  await settleMicrotasks()
  expect(Number(world.funds().balance)).toBe(100)
  house.ledger.endLeaks(() => false)
  clock.advance(10_000)
  await settleMicrotasks()
  expect(Number(world.funds().balance)).toBe(0)
  world.takeErrors()
  stop()
})

test('a step of the clock ends nothing for a minute', async () => {
  await using world = adminWorld({ balanceUsd: '1.00' })
  const { house, store, clock } = world
  const stop = endLots({ ...house, reader: store.reader })
  await world.call('POST', '/credits/grants', {
    account: ACCOUNT,
    usd: '5.00',
    expires_at_ms: clock.wallMs() + 3_600_000,
  })
  clock.stepWall(7_200_000)
  for (let at = 0; at < 5; at++) {
    clock.advance(10_000)
    await settleMicrotasks()
  }
  expect(Number(world.funds().balance)).toBe(6_000_000_000)
  clock.advance(20_000)
  await settleMicrotasks()
  clock.advance(10_000)
  await settleMicrotasks()
  expect(Number(world.funds().balance)).toBe(1_000_000_000)
  world.takeErrors()
  stop()
})

test.each([
  ['a time that is past', { expires_at_ms: 1 }, 'expires_at_ms'],
  ['no amount', { usd: '0' }, 'usd'],
  ['less than nothing', { usd: '-1' }, 'usd'],
])('400: %s', async (_what, wrong, param) => {
  await using world = adminWorld()
  const body = { account: ACCOUNT, usd: '1', expires_at_ms: 4_000_000_000_000, ...wrong }
  expect(await world.call('POST', '/credits/grants', body)).toMatchObject(refusal(400, 'invalid_request', param))
})

test('409: an unmetered account needs none', async () => {
  await using world = adminWorld({ balanceUsd: null })
  const body = { account: ACCOUNT, usd: '1', expires_at_ms: 4_000_000_000_000 }
  expect(await world.call('POST', '/credits/grants', body)).toMatchObject(refusal(409, 'conflict'))
})
