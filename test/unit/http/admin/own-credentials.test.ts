import { describe, expect, test } from 'bun:test'
import { ACCOUNT } from '../../../support/house.ts'
import { adminWorld, refusal } from './support.ts'

const SECRET = 'sk-provider-canary-0123456789'
const PATH = `/accounts/${ACCOUNT}/credentials`
const WISH = { provider: 'acme', name: 'main', secret: SECRET }

test('201: the secret goes in, and only its end ever comes out', async () => {
  await using world = adminWorld()
  const made = await world.call('POST', PATH, WISH)
  expect(made.status).toBe(201)
  expect(made.headers.get('etag')).toBe('"1"')
  expect(made.body).toEqual({
    id: expect.stringMatching(/^cred_[0-9a-f]{32}$/),
    account_id: ACCOUNT,
    provider: 'acme',
    name: 'main',
    base_url: null,
    hint: '6789',
    enabled: true,
    readable: true,
    fault: null,
    created_at_ms: world.clock.wallMs(),
    updated_at_ms: world.clock.wallMs(),
  })
  const one = `${PATH}/${made.body.id}`
  for (const answer of [
    made,
    await world.call('GET', PATH),
    await world.call('GET', one),
    await world.call('PATCH', one, { secret: `${SECRET}-2` }),
    await world.call('PATCH', one, { secret: `${SECRET}\n` }),
    await world.call('DELETE', one),
    await world.call('GET', '/audit'),
  ])
    expect(JSON.stringify(answer.body)).not.toContain('canary')
  const logged = JSON.stringify(world.logs)
  expect(logged).not.toContain('canary')
})

test('what is on disk opens for its row alone', async () => {
  await using world = adminWorld()
  const { body } = await world.call('POST', PATH, WISH)
  const row = world.store.tables.ownCredentials.get(body.id)
  expect(JSON.stringify(row)).not.toContain('canary')
  expect(world.vault.open(row?.sealed ?? '', { rowId: body.id, accountId: ACCOUNT })).toBe(SECRET)
  expect(() => world.vault.open(row?.sealed ?? '', { rowId: 'cred_other', accountId: ACCOUNT })).toThrow()
})

test('several per provider, by name; an account sees its own alone', async () => {
  await using world = adminWorld()
  world.store.seedAccount({ id: 'acc_other' })
  for (const name of ['spare', 'main']) await world.call('POST', PATH, { ...WISH, name })
  const theirs = await world.call('POST', '/accounts/acc_other/credentials', WISH)
  expect(await world.call('POST', PATH, WISH)).toMatchObject(refusal(409, 'conflict'))
  const names = (await world.call('GET', PATH)).body.data.map(({ name }: { name: string }) => name)
  expect(names).toEqual(['main', 'spare'])
  const first = await world.call('GET', `${PATH}?limit=1`)
  expect(first.body).toMatchObject({ data: [{ name: 'main' }], has_more: true })
  expect((await world.call('GET', `${PATH}?after=${first.body.next}`)).body.data).toMatchObject([{ name: 'spare' }])

  const one = `${PATH}/${theirs.body.id}`
  for (const answer of [
    await world.call('GET', one),
    await world.call('PATCH', one, { enabled: false }),
    await world.call('DELETE', one),
  ])
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
  expect(world.store.tables.ownCredentials.size).toBe(3)
})

test('200: a change counts the version, and If-Match guards it', async () => {
  await using world = adminWorld()
  const { body } = await world.call('POST', PATH, WISH)
  const one = `${PATH}/${body.id}`
  world.clock.advance(1000)
  const renamed = await world.call('PATCH', one, { name: 'first', enabled: false }, { 'if-match': '"1"' })
  expect(renamed).toMatchObject({ status: 200, body: { name: 'first', enabled: false, hint: '6789' } })
  expect(renamed.body.updated_at_ms - renamed.body.created_at_ms).toBe(1000)
  expect(renamed.headers.get('etag')).toBe('"2"')
  for (const [method, change] of [
    ['PATCH', { enabled: true }],
    ['DELETE', undefined],
  ] as const)
    expect(await world.call(method, one, change, { 'if-match': '"1"' })).toMatchObject(
      refusal(412, 'precondition_failed'),
    )
  expect((await world.call('GET', one)).headers.get('etag')).toBe('"2"')
  const removed = await world.call('DELETE', one, undefined, { 'if-match': '"2"' })
  expect(removed).toMatchObject({ status: 200, body: { id: body.id, deleted: true } })
  expect(await world.call('GET', one)).toMatchObject(refusal(404, 'not_found', 'credential'))
})

test('a new secret ends the fault of the old one, another name does not', async () => {
  await using world = adminWorld()
  const { body } = await world.call('POST', PATH, WISH)
  const { ownCredentials } = world.store.tables
  const row = ownCredentials.get(body.id)
  if (row === undefined) throw new Error('it was made')
  const fault = { cause: 'denied', reason: null, sinceMs: 5, untilMs: null }
  ownCredentials.set(body.id, { ...row, fault })
  const one = `${PATH}/${body.id}`
  expect((await world.call('PATCH', one, { name: 'b' })).body.fault).toMatchObject({ cause: 'denied', since_ms: 5 })
  expect((await world.call('PATCH', one, { secret: 'sk-another-secret' })).body).toMatchObject({
    fault: null,
    hint: 'cret',
  })
})

test('a secret that the master key does not open is shown as such', async () => {
  await using world = adminWorld()
  const { body } = await world.call('POST', PATH, WISH)
  const { ownCredentials } = world.store.tables
  const row = ownCredentials.get(body.id)
  if (row === undefined) throw new Error('it was made')
  ownCredentials.set(body.id, { ...row, sealed: world.vault.seal(SECRET, { rowId: 'x', accountId: ACCOUNT }) })
  expect((await world.call('GET', `${PATH}/${body.id}`)).body.readable).toBe(false)
  expect((await world.call('PATCH', `${PATH}/${body.id}`, { secret: SECRET })).body.readable).toBe(true)
})

test.each([
  ['no provider', { name: 'a', secret: SECRET }, 'provider'],
  ['no name', { provider: 'acme', secret: SECRET }, 'name'],
  ['a name that hides something', { ...WISH, name: 'a\u202eb' }, 'name'],
  ['no secret', { provider: 'acme', name: 'a' }, 'secret'],
  ['an empty secret', { ...WISH, secret: '' }, 'secret'],
  ['a secret with a line break', { ...WISH, secret: `${SECRET}\r\nx: 1` }, 'secret'],
  ['a secret with a space', { ...WISH, secret: `Bearer ${SECRET}` }, 'secret'],
  ['a secret beyond ASCII', { ...WISH, secret: `${SECRET}é` }, 'secret'],
  ['a secret without end', { ...WISH, secret: SECRET.repeat(1000) }, 'secret'],
  ['a state that is none', { ...WISH, enabled: 'yes' }, 'enabled'],
  ['a hint of the caller', { ...WISH, hint: 'abcd' }, 'hint'],
])('400: %s', async (_what, body, param) => {
  await using world = adminWorld()
  const answer = await world.call('POST', PATH, body)
  expect(answer).toMatchObject(refusal(400, 'invalid_request', param))
  expect(JSON.stringify(answer.body)).not.toContain('canary')
  expect(world.store.tables.ownCredentials.size).toBe(0)
})

test('400: a change of nothing; 404: unknown accounts and providers', async () => {
  await using world = adminWorld()
  const { body } = await world.call('POST', PATH, WISH)
  expect(await world.call('PATCH', `${PATH}/${body.id}`, {})).toMatchObject(refusal(400, 'invalid_request'))
  expect(await world.call('POST', '/accounts/nobody/credentials', WISH)).toMatchObject(
    refusal(404, 'not_found', 'account'),
  )
  const unknown = await world.call('POST', PATH, { ...WISH, provider: 'acne' })
  expect(unknown).toMatchObject(refusal(404, 'not_found', 'provider'))
  expect(unknown.body.error.message).toContain("Did you mean 'acme'?")
})

test('the same Idempotency-Key makes one credential', async () => {
  await using world = adminWorld()
  const ask = () => world.call('POST', PATH, WISH, { 'idempotency-key': 'once' })
  const [first, second] = [await ask(), await ask()]
  expect(second.body).toEqual(first.body)
  expect(world.store.tables.ownCredentials.size).toBe(1)
})

test('every change is in the audit, without the secret', async () => {
  await using world = adminWorld()
  const { body } = await world.call('POST', PATH, WISH)
  const one = `${PATH}/${body.id}`
  expect((await world.call('PATCH', one, { secret: `${SECRET}-2`, name: 'b' })).body.name).toBe('b')
  await world.call('DELETE', one)
  expect(world.store.tables.audit).toMatchObject([
    { action: 'own_credential.create', subject: body.id, details: { provider: 'acme', name: 'main' } },
    { action: 'own_credential.update', subject: body.id, details: { name: 'b', secret: 'changed' } },
    { action: 'own_credential.delete', subject: body.id, details: { account_id: ACCOUNT } },
  ])
  expect(JSON.stringify(world.store.tables.audit)).not.toContain('canary')
})

describe('a place of its own', () => {
  test('is kept as it is dialled, is told, and never changes', async () => {
    await using world = adminWorld()
    const made = await world.call('POST', PATH, { ...WISH, base_url: 'https://LLM.customer.example:443/v1/' })
    expect(made).toMatchObject({ status: 201, body: { base_url: 'https://llm.customer.example/v1' } })
    const one = `${PATH}/${made.body.id}`
    const change = { base_url: 'https://elsewhere.example', secret: 'x' }
    expect((await world.call('PATCH', one, change)).status).toBe(400)
    expect((await world.call('PATCH', one, { secret: 'another' })).body.base_url).toBe(
      'https://llm.customer.example/v1',
    )
    expect((await world.call('GET', PATH)).body.data).toMatchObject([{ base_url: 'https://llm.customer.example/v1' }])
    expect(JSON.stringify((await world.call('GET', '/audit')).body)).toContain('https://llm.customer.example/v1')
  })

  test.each([
    ['http://llm.customer.example/v1', 'https://'],
    ['https://llm.customer.example:8443/v1', 'port 8443'],
    ['https://u:canary@llm.customer.example/v1', 'user'],
    ['https://llm.customer.example/v1?canary', 'query'],
    ['https://llm.customer.example/v1/chat/completions', 'the base of all paths'],
    ['https://127.0.0.1/v1', 'this machine'],
    ['https://0x7f.1/v1', 'this machine'],
    ['https://10.0.0.1/v1', 'not public'],
    ['https://169.254.169.254/v1', 'no request may go there'],
    ['https://[::ffff:10.0.0.1]/v1', 'not public'],
    ['llm.customer.example', 'not a URL'],
  ])('%s is refused', async (base_url, reason) => {
    await using world = adminWorld()
    const answer = await world.call('POST', PATH, { ...WISH, base_url })
    expect(answer).toMatchObject(refusal(400, 'invalid_request', 'base_url'))
    expect(answer.body.error.message).toContain(reason)
    expect(answer.body.error.message).not.toContain('canary')
  })
})
