import { expect, test } from 'bun:test'
import { hashKey } from '../../../../src/vault/index.ts'
import { ACCOUNT, MODEL } from '../../../support/house.ts'
import { adminWorld, refusal } from './support.ts'

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
    models: null,
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
