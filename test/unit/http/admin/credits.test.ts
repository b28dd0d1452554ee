import { expect, test } from 'bun:test'
import { ACCOUNT } from '../../../support/house.ts'
import { adminWorld, refusal } from './support.ts'

test('201: a top-up is on disk, live at once, and in the history with who did it', async () => {
  await using world = adminWorld({ balanceUsd: '1.00' })
  const { status, body } = await world.call('POST', '/credits', { account: ACCOUNT, usd: '5.00', note: 'invoice 7' })
  expect(status).toBe(201)
  expect(body).toEqual({
    seq: 2,
    kind: 'top_up',
    account_id: ACCOUNT,
    amount_usd: '5.00',
    amount_nano: 5_000_000_000,
    balance_after_usd: '6.00',
    balance_after_nano: 6_000_000_000,
    note: 'invoice 7',
    actor: 'local:7',
    at_ms: world.clock.wallMs(),
  })
  expect(Number(world.store.tables.accounts.get(ACCOUNT)?.balance)).toBe(6_000_000_000)
  expect(Number(world.funds().balance)).toBe(6_000_000_000)
  const history = await world.call('GET', `/credits?account=${ACCOUNT}`)
  expect(history.body.data[0]).toEqual(body)
  expect(history.body.data.map(({ amount_usd }: { amount_usd: string }) => amount_usd)).toEqual(['5.00', '1.00'])
})

test('201: an adjustment takes away, to the last nano-dollar', async () => {
  await using world = adminWorld({ balanceUsd: '1.00' })
  const wish = { account: ACCOUNT, kind: 'adjustment' }
  expect((await world.call('POST', '/credits', { ...wish, usd: '-0.000000001' })).body).toMatchObject({
    amount_nano: -1,
    balance_after_usd: '0.999999999',
    note: null,
  })
  expect((await world.call('POST', '/credits', { ...wish, usd: '-0.999999999' })).body.balance_after_nano).toBe(0)
})

test('409: a prepaid account never goes below zero, however many try at once', async () => {
  await using world = adminWorld({ balanceUsd: '9.00' })
  const wish = { account: ACCOUNT, usd: '-5.00', kind: 'adjustment' }
  const answers = await Promise.all([1, 2, 3].map(() => world.call('POST', '/credits', wish)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  expect(Number(world.funds().balance)).toBe(4_000_000_000)
})

test.each([
  ['text that is no amount', '5 dollars'],
  ['an exponent', '1e3'],
  ['a comma', '5,00'],
  ['a sign in front', '+5'],
  ['blanks', ' 5'],
  ['nothing', ''],
  ['ten decimals', '0.0000000001'],
  ['more than can be counted', '9007200'],
  ['zero', '0.00'],
  ['minus zero', '-0'],
  ['a negative top-up', '-5.00'],
])('400: %s', async (_what, usd) => {
  await using world = adminWorld()
  expect(await world.call('POST', '/credits', { account: ACCOUNT, usd })).toMatchObject(
    refusal(400, 'invalid_request', 'usd'),
  )
  expect(world.store.tables.entries.length).toBe(1)
})

test('400: a negative top-up is told what is meant for that', async () => {
  await using world = adminWorld()
  const { body } = await world.call('POST', '/credits', { account: ACCOUNT, usd: '-5.00' })
  expect(body.error.message).toContain('adjustment')
})

test('400: a sum that the ledger cannot count names the field of the request', async () => {
  await using world = adminWorld({ balanceUsd: '1.00' })
  const top = { account: ACCOUNT, usd: '9000000' }
  expect((await world.call('POST', '/credits', top)).status).toBe(201)
  expect(await world.call('POST', '/credits', top)).toMatchObject(refusal(400, 'invalid_request', 'usd'))
  expect(Number(world.funds().balance)).toBe(9_000_001_000_000_000)
})

test.each([
  ['a number instead of text', { account: ACCOUNT, usd: 5 }, 'usd'],
  ['no account', { usd: '5' }, 'account'],
  ['an unknown kind', { account: ACCOUNT, usd: '5', kind: 'gift' }, 'kind'],
  ['an unknown field', { account: ACCOUNT, usd: '5', amount: '5' }, 'amount'],
  ['a note that is too long', { account: ACCOUNT, usd: '5', note: 'x'.repeat(1001) }, 'note'],
])('400: %s', async (_what, body, param) => {
  await using world = adminWorld()
  expect(await world.call('POST', '/credits', body)).toMatchObject(refusal(400, 'invalid_request', param))
  expect(world.store.tables.entries.length).toBe(1)
})

test('400: an amount that is given twice moves nothing', async () => {
  await using world = adminWorld()
  const body = `{"account":"${ACCOUNT}","usd":"5.00","u\\u0073d":"500.00"}`
  expect(await world.call('POST', '/credits', body)).toMatchObject(refusal(400, 'duplicate_field', 'usd'))
  expect(world.store.tables.entries.length).toBe(1)
})

test('404: an account that does not exist, for a movement and for a history', async () => {
  await using world = adminWorld()
  const answers = [
    await world.call('POST', '/credits', { account: 'nobody', usd: '5' }),
    await world.call('GET', '/credits?account=nobody'),
  ]
  for (const answer of answers) expect(answer).toMatchObject(refusal(404, 'not_found', 'account'))
})

test('503: what cannot be written is not live either', async () => {
  await using world = adminWorld({ balanceUsd: '1.00' })
  await world.call('POST', '/credits', { account: ACCOUNT, usd: '1.00' })
  world.store.disk.fail()
  const answer = await world.call('POST', '/credits', { account: ACCOUNT, usd: '5.00' })
  expect(answer).toMatchObject(refusal(503, 'storage_unavailable'))
  expect(Number(world.funds().available)).toBe(2_000_000_000)
  world.store.disk.heal()
  expect(world.store.tables.entries.length).toBe(2)
  world.takeErrors()
})

test('the history is paged by number, and a cursor that is none is refused', async () => {
  await using world = adminWorld({ balanceUsd: '1.00' })
  for (let at = 0; at < 3; at++) await world.call('POST', '/credits', { account: ACCOUNT, usd: `${at + 1}` })
  const first = await world.call('GET', `/credits?account=${ACCOUNT}&limit=2`)
  expect(first.body).toMatchObject({ has_more: true, next: '3', data: [{ seq: 4 }, { seq: 3 }] })
  const rest = await world.call('GET', `/credits?account=${ACCOUNT}&limit=2&after=3`)
  expect(rest.body).toMatchObject({ has_more: false, next: null, data: [{ seq: 2 }, { seq: 1 }] })
  for (const after of ['acc_1', '-1', '1.5', '99999999999999999999', '']) {
    expect(await world.call('GET', `/credits?account=${ACCOUNT}&after=${after}`)).toMatchObject(
      refusal(400, 'invalid_request', 'after'),
    )
  }
  expect(await world.call('GET', '/credits')).toMatchObject(refusal(400, 'invalid_request', 'account'))
})
