import { expect, test } from 'bun:test'
import { money, parseUsd } from '../../../../src/domain/index.ts'
import { ACCOUNT } from '../../../support/house.ts'
import { adminWorld, refusal } from './support.ts'

test('201: a new account is prepaid and empty unless it is said otherwise', async () => {
  await using world = adminWorld()
  const prepaid = await world.call('POST', '/accounts', { name: 'team' })
  expect(prepaid.status).toBe(201)
  expect(prepaid.body).toEqual({
    id: expect.stringMatching(/^acc_[0-9a-f]{32}$/),
    name: 'team',
    kind: 'prepaid',
    disabled: false,
    models: null,
    byok_fallback: 'shared',
    store_content: false,
    allow_foreign: false,
    regions: null,
    ownerships: null,
    zdr: false,
    allow_training: true,
    only: null,
    ignore: null,
    balance_usd: '0.00',
    balance_nano: 0,
    held_usd: '0.00',
    held_nano: 0,
    available_usd: '0.00',
    available_nano: 0,
  })
  const unmetered = await world.call('POST', '/accounts', { name: 'house', kind: 'unmetered' })
  expect(unmetered.body).toMatchObject({ name: 'house', kind: 'unmetered' })
})

test('409: a name is given once', async () => {
  await using world = adminWorld()
  await world.call('POST', '/accounts', { name: 'team' })
  expect(await world.call('POST', '/accounts', { name: 'team' })).toMatchObject(refusal(409, 'conflict'))
  expect(world.store.tables.accounts.size).toBe(2)
})

test.each([
  ['no name', {}, 'name'],
  ['an empty name', { name: '' }, 'name'],
  ['a name that no path can have', { name: '.' }, 'name'],
  ['another one', { name: '..' }, 'name'],
  ['a name of blanks', { name: ' \t ' }, 'name'],
  ['a name that would colour a terminal', { name: '\u001b[31mred' }, 'name'],
  ['a name that turns the direction of writing', { name: 'a\u202eb' }, 'name'],
  ['a name that is no text', { name: '\ud800' }, 'name'],
  ['a name that is too long', { name: 'x'.repeat(129) }, 'name'],
  ['an unknown kind', { name: 'a', kind: 'free' }, 'kind'],
  ['an unknown field', { name: 'a', balance: '5' }, 'balance'],
  ['null', { name: null }, 'name'],
])('400: %s', async (_what, body, param) => {
  await using world = adminWorld()
  expect(await world.call('POST', '/accounts', body)).toMatchObject(refusal(400, 'invalid_request', param))
  expect(world.store.tables.accounts.size).toBe(1)
})

test('200: by id and by name, whatever characters are in it', async () => {
  await using world = adminWorld()
  const name = 'Équipe 1/2 & 👩‍👩‍👧 100%'
  const { body } = await world.call('POST', '/accounts', { name })
  for (const path of [`/accounts/${body.id}`, `/accounts/${encodeURIComponent(name)}`]) {
    expect(await world.call('GET', path)).toMatchObject({ status: 200, body: { id: body.id, name } })
  }
})

test('200: the live figures while the account is open, those on disk else', async () => {
  await using world = adminWorld({ balanceUsd: '1.00' })
  const { ledger } = world.house
  const before = { balance_usd: '1.00', held_usd: '0.00', available_usd: '1.00' }
  expect((await world.call('GET', '/accounts')).body.data).toMatchObject([before])
  expect(ledger.isOpen(ACCOUNT)).toBe(false) // a list brings no account into memory
  expect((await world.call('GET', `/accounts/${ACCOUNT}`)).body).toMatchObject(before)
  expect(ledger.isOpen(ACCOUNT)).toBe(true)

  const amount = parseUsd('0.25') ?? money(0)
  ledger.hold({ requestId: 'req_1', accountId: ACCOUNT, keyId: 'key_test', amount, covers: [] })
  expect((await world.call('GET', `/accounts/${ACCOUNT}`)).body).toMatchObject({
    balance_usd: '1.00',
    balance_nano: 1_000_000_000,
    held_usd: '0.25',
    held_nano: 250_000_000,
    available_usd: '0.75',
    available_nano: 750_000_000,
  })
  expect((await world.call('GET', '/ledger/holds')).body.data).toMatchObject([
    { request_id: 'req_1', account_id: ACCOUNT, key_id: 'key_test', amount_usd: '0.25', amount_nano: 250_000_000 },
  ])
  expect((await world.call('GET', '/ledger/holds?account=nobody')).status).toBe(404)
  ledger.settle({
    requestId: 'req_1',
    end: 'voided',
    reason: 'no_answer',
    usage: { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 },
    usageSource: null,
    covered: null,
  })
})

test('404: an account that does not exist, by id or by name', async () => {
  await using world = adminWorld()
  for (const path of ['/accounts/acc_none', '/accounts/nobody']) {
    expect(await world.call('GET', path)).toMatchObject(refusal(404, 'not_found', 'account'))
  }
})

test('an account beyond the first page of the store is found by its name', async () => {
  await using world = adminWorld()
  for (let at = 0; at < 450; at++) world.store.seedAccount({ id: `n${String(at).padStart(3, '0')}` })
  expect(await world.call('GET', '/accounts/n449')).toMatchObject({ status: 200, body: { name: 'n449' } })
})

test('a list is paged by cursor, each row once, and a full last page is the last', async () => {
  await using world = adminWorld()
  for (let at = 1; at < 6; at++) world.store.seedAccount({ id: `acc_${at}` })
  const seen: string[] = []
  let after = ''
  for (let pages = 1; ; pages++) {
    const { body } = await world.call('GET', `/accounts?limit=2${after}`)
    seen.push(...body.data.map(({ id }: { id: string }) => id))
    expect(body.has_more).toBe(body.next !== null)
    if (body.next === null) {
      expect(pages).toBe(3)
      break
    }
    expect(body.data.length).toBe(2)
    after = `&after=${body.next}`
  }
  expect(seen).toEqual(['acc_1', 'acc_2', 'acc_3', 'acc_4', 'acc_5', ACCOUNT])
  expect((await world.call('GET', '/accounts')).body.data.length).toBe(6)
})

test.each(['0', '201', '-1', '1.5', 'ten', '', '1e9999'])('400: limit=%s', async (limit) => {
  await using world = adminWorld()
  expect(await world.call('GET', `/accounts?limit=${limit}`)).toMatchObject(refusal(400, 'invalid_request', 'limit'))
})

test('200: an account is renamed and disabled, which binds the next request; its live figures stay', async () => {
  await using world = adminWorld()
  const before = (await world.call('GET', `/accounts/${ACCOUNT}`)).body
  await world.house.accounts.rows.load(ACCOUNT)
  const changed = await world.call('PATCH', `/accounts/${ACCOUNT}`, { name: 'renamed', disabled: true })
  expect(changed).toMatchObject({ status: 200, body: { ...before, name: 'renamed', disabled: true } })
  expect(changed.headers.get('etag')).toBe('"2"')
  expect((await world.house.accounts.rows.load(ACCOUNT))?.account.disabled).toBe(true)
  const back = await world.call('PATCH', '/accounts/renamed', { disabled: false }, { 'if-match': '"2"' })
  expect(back).toMatchObject({ status: 200, body: { name: 'renamed', disabled: false } })
})

test('a change of an account that is refused changes nothing', async () => {
  await using world = adminWorld()
  world.store.seedAccount({ id: 'acc_other' })
  const path = `/accounts/${ACCOUNT}`
  expect(await world.call('PATCH', path, { name: 'acc_other' })).toMatchObject(refusal(409, 'conflict'))
  expect(await world.call('PATCH', path, { disabled: true }, { 'if-match': '"9"' })).toMatchObject(
    refusal(412, 'precondition_failed'),
  )
  expect(await world.call('PATCH', path, { name: 'a\nb' })).toMatchObject(refusal(400, 'invalid_request', 'name'))
  expect(await world.call('PATCH', path, { kind: 'unmetered' })).toMatchObject(refusal(400, 'invalid_request', 'kind'))
  expect(await world.call('PATCH', path, {})).toMatchObject(refusal(400, 'invalid_request'))
  expect(await world.call('PATCH', '/accounts/nobody', { disabled: true })).toMatchObject(
    refusal(404, 'not_found', 'account'),
  )
  expect(world.store.tables.accounts.get(ACCOUNT)?.account).toMatchObject({ disabled: false, version: 1 })
})
