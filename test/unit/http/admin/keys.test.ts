import { expect, test } from 'bun:test'
import { hashKey } from '../../../../src/vault/index.ts'
import { ACCOUNT, MODEL } from '../../../support/house.ts'
import { adminWorld, refusal } from './support.ts'

const NO_TERMS = {
  disabled: false,
  models: null,
  expires_at_ms: null,
  addresses: null,
  budget_total_usd: null,
  budget_day_usd: null,
  budget_week_usd: null,
  budget_month_usd: null,
  requests_per_minute: null,
  tokens_per_minute: null,
  concurrency: null,
  allow_foreign: false,
  regions: null,
  ownerships: null,
  zdr: false,
  allow_training: true,
  only: null,
  ignore: null,
}

test('201: the secret is shown once, works, and is in no later answer', async () => {
  await using world = adminWorld()
  const { status, body } = await world.call('POST', '/keys', { account: ACCOUNT, name: 'laptop' })
  expect(status).toBe(201)
  const { secret, ...key } = body
  expect(secret).toMatch(/^sk-ar-v1-[0-9A-Za-z]{43}$/)
  expect(key).toEqual({
    id: expect.stringMatching(/^key_[0-9a-f]{32}$/),
    account_id: ACCOUNT,
    name: 'laptop',
    prefix: secret.slice(0, key.prefix.length),
    ...NO_TERMS,
    revoked: false,
  })
  expect(key.prefix.length).toBeLessThan(20)
  expect((await world.house.accounts.keys.load(hashKey(secret)))?.id).toBe(key.id)

  const later = [
    await world.call('GET', '/keys'),
    await world.call('GET', `/keys?account=${ACCOUNT}`),
    await world.call('POST', `/keys/${key.id}/revoke`),
  ]
  for (const answer of later) {
    expect(answer.status).toBe(200)
    expect(JSON.stringify(answer.body)).toContain(key.id)
    expect(JSON.stringify(answer.body)).not.toContain(secret)
    expect(JSON.stringify(answer.body)).not.toContain(hashKey(secret))
  }
})

test('201: a list of models holds ids, also where an alias was given', async () => {
  await using world = adminWorld()
  const wish = { account: ACCOUNT, name: 'narrow', models: ['m'] }
  expect((await world.call('POST', '/keys', wish)).body.models).toEqual([MODEL])
})

test.each([
  ['no account', { name: 'k' }, 'account'],
  ['no name', { account: ACCOUNT }, 'name'],
  ['a name with a line break', { account: ACCOUNT, name: 'a\nb' }, 'name'],
  ['an empty list of models', { account: ACCOUNT, name: 'k', models: [] }, 'models'],
  ['models that are no list', { account: ACCOUNT, name: 'k', models: MODEL }, 'models'],
  ['a secret of the caller', { account: ACCOUNT, name: 'k', secret: 'sk-ar-v1-canary0123456789' }, 'secret'],
  ['a time in the past', { account: ACCOUNT, name: 'k', expires_at_ms: 1000 }, 'expires_at_ms'],
  ['a time that is no number', { account: ACCOUNT, name: 'k', expires_at_ms: '2099-01-01' }, 'expires_at_ms'],
  ['an address that is none', { account: ACCOUNT, name: 'k', addresses: ['10.0.0.1', '10.0.0.0/33'] }, 'addresses'],
  ['no addresses', { account: ACCOUNT, name: 'k', addresses: [] }, 'addresses'],
  ['a budget with ten decimals', { account: ACCOUNT, name: 'k', budget_day_usd: '0.0000000001' }, 'budget_day_usd'],
  ['a negative budget', { account: ACCOUNT, name: 'k', budget_total_usd: '-1' }, 'budget_total_usd'],
  ['a budget that is a number', { account: ACCOUNT, name: 'k', budget_week_usd: 5 }, 'budget_week_usd'],
  ['a rate of zero', { account: ACCOUNT, name: 'k', requests_per_minute: 0 }, 'requests_per_minute'],
  ['half a request', { account: ACCOUNT, name: 'k', concurrency: 0.5 }, 'concurrency'],
])('400: %s', async (_what, body, param) => {
  await using world = adminWorld()
  const answer = await world.call('POST', '/keys', body)
  expect(answer).toMatchObject(refusal(400, 'invalid_request', param))
  expect(JSON.stringify(answer.body)).not.toContain('canary')
  expect(world.store.tables.keys.size).toBe(1)
})

test('404: unknown accounts, models and keys', async () => {
  await using world = adminWorld()
  expect(await world.call('POST', '/keys', { account: 'nobody', name: 'k' })).toMatchObject(
    refusal(404, 'not_found', 'account'),
  )
  expect(await world.call('POST', '/keys', { account: ACCOUNT, name: 'k', models: ['nope'] })).toMatchObject(
    refusal(404, 'model_not_found', 'models'),
  )
  expect(await world.call('POST', '/keys/key_none/revoke')).toMatchObject(refusal(404, 'not_found'))
  expect(await world.call('GET', '/keys?account=nobody')).toMatchObject(refusal(404, 'not_found', 'account'))
  expect(world.store.tables.keys.size).toBe(1)
})

test('200: a revoked key is refused at once, and revoking it again changes nothing', async () => {
  await using world = adminWorld()
  const { body } = await world.call('POST', '/keys', { account: ACCOUNT, name: 'lost' })
  const hash = hashKey(body.secret)
  expect(await world.house.accounts.keys.load(hash)).toMatchObject({ revoked: false })
  for (let time = 0; time < 2; time++) {
    expect(await world.call('POST', `/keys/${body.id}/revoke`)).toMatchObject({
      status: 200,
      body: { id: body.id, revoked: true },
    })
  }
  expect(await world.house.accounts.keys.load(hash)).toMatchObject({ revoked: true })
})

test('200: keys of one account only', async () => {
  await using world = adminWorld()
  world.store.seedAccount({ id: 'acc_other' })
  await world.call('POST', '/keys', { account: 'acc_other', name: 'theirs' })
  const names = async (path: string) =>
    (await world.call('GET', path)).body.data.map(({ name }: { name: string }) => name)
  expect(await names('/keys?account=acc_other')).toEqual(['theirs'])
  expect(await names(`/keys?account=${ACCOUNT}`)).toEqual(['key_test'])
  expect((await names('/keys')).toSorted()).toEqual(['key_test', 'theirs'])
})

const TERMS = {
  models: [MODEL],
  expires_at_ms: 1_900_000_000_000,
  addresses: ['10.0.0.0/8', '2001:db8::/32', '::1'],
  budget_total_usd: '20.50',
  budget_day_usd: '0.00',
  budget_week_usd: null,
  budget_month_usd: '0.000000001',
  requests_per_minute: 60,
  tokens_per_minute: 100_000,
  concurrency: 3,
}

test('201: all that a key may do, as it is shown later', async () => {
  await using world = adminWorld()
  const { status, body } = await world.call('POST', '/keys', { account: ACCOUNT, name: 'k', ...TERMS })
  expect(status).toBe(201)
  expect(body).toMatchObject(TERMS)
  const shown = await world.call('GET', `/keys/${body.id}`)
  const { secret: _, ...key } = body
  const spent = { spent_total_usd: '0.00', spent_day_nano: 0, spent_week_nano: 0, spent_month_usd: '0.00' }
  expect(shown).toMatchObject({ status: 200, body: { ...key, ...spent } })
  expect(shown.headers.get('etag')).toBe('"1"')
  const [audit] = world.store.tables.audit
  expect(audit?.details).toMatchObject({ account: ACCOUNT, name: 'k', ...TERMS })
})

test('200: a change lays itself over the key, and binds what is read from then on', async () => {
  await using world = adminWorld()
  const { body } = await world.call('POST', '/keys', { account: ACCOUNT, name: 'k', ...TERMS })
  const hash = hashKey(body.secret)
  await world.house.accounts.keys.load(hash)
  const change = {
    name: 'renamed',
    requests_per_minute: 5,
    tokens_per_minute: null,
    budget_day_usd: null,
    models: null,
  }
  const changed = await world.call('PATCH', `/keys/${body.id}`, change)
  expect(changed).toMatchObject({ status: 200, body: { ...TERMS, ...change, id: body.id } })
  expect(changed.headers.get('etag')).toBe('"2"')
  expect(await world.house.accounts.keys.load(hash)).toMatchObject({
    name: 'renamed',
    limits: { requestsPerMinute: 5, tokensPerMinute: null, concurrency: 3 },
  })
  const bare = await world.call('PATCH', `/keys/${body.id}`, NO_TERMS)
  expect(bare.body).toMatchObject(NO_TERMS)
  expect(await world.house.accounts.keys.load(hash)).toMatchObject({ budgets: null, limits: null })
})

test('412: a change of another version changes nothing; 404 and 400 neither', async () => {
  await using world = adminWorld()
  const path = '/keys/key_test'
  const wish = { name: 'x' }
  expect(await world.call('PATCH', path, wish, { 'if-match': '"7"' })).toMatchObject(
    refusal(412, 'precondition_failed'),
  )
  expect(await world.call('PATCH', '/keys/key_none', wish)).toMatchObject(refusal(404, 'not_found'))
  expect(await world.call('GET', '/keys/key_none')).toMatchObject(refusal(404, 'not_found', 'key'))
  expect(await world.call('PATCH', path, {})).toMatchObject(refusal(400, 'invalid_request'))
  expect(await world.call('PATCH', path, { hash: 'x' })).toMatchObject(refusal(400, 'invalid_request', 'hash'))
  expect(await world.call('PATCH', path, { models: ['nope'] })).toMatchObject(refusal(404, 'model_not_found', 'models'))
  expect(world.store.tables.keys.get('key_test')?.key).toMatchObject({ name: 'key_test', version: 1 })
  expect(await world.call('PATCH', path, wish, { 'if-match': '"1"' })).toMatchObject({ status: 200 })
})
