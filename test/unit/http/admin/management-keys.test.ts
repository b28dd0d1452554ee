import { expect, test } from 'bun:test'
import { fromOutside } from '../../../../src/http/index.ts'
import { adminWorld, refusal } from './support.ts'

const HOUR_MS = 3_600_000
const WISH = { name: 'ops', scopes: ['credits', 'read'] }

/** Calls as from the network. */
function outsideOf(world: ReturnType<typeof adminWorld>) {
  const { accounts, log, clock, random } = world.house
  const lifted: string[] = []
  const door = fromOutside({ accounts, log, clock, random }, world.app)
  return {
    lifted,
    async get(path: string, headers: Record<string, string>) {
      const request = new Request(`http://gw/admin/v1${path}`, { headers })
      const response = await door({ request, liftIdleLimit: () => lifted.push(path) })
      return { status: response.status, body: JSON.parse(await response.text()) }
    },
  }
}

test('201: the secret is shown once, and what is kept tells the key apart but does not open', async () => {
  await using world = adminWorld()
  const { status, body, headers } = await world.call('POST', '/management-keys', WISH)
  expect(status).toBe(201)
  expect(headers.get('etag')).toBe('"1"')
  expect(body.secret).toMatch(/^ak_[0-9A-Za-z]{43}$/)
  const { secret, ...shown } = body
  expect(shown).toEqual({
    id: expect.stringMatching(/^mkey_[0-9a-f]{32}$/),
    name: 'ops',
    prefix: secret.slice(0, 7),
    scopes: ['read', 'credits'],
    state: 'active',
    created_at_ms: world.clock.wallMs(),
    expires_at_ms: null,
    revoked_at_ms: null,
  })
  expect((await world.call('GET', `/management-keys/${body.id}`)).body).toEqual(shown)
  expect((await world.call('GET', '/management-keys')).body.data).toEqual([shown])
  const { tables } = world.store
  expect(JSON.stringify([[...tables.managementKeys.values()], tables.audit])).not.toContain(secret)
  expect(tables.audit).toMatchObject([
    {
      actor: 'local:7',
      action: 'management_key.create',
      subject: body.id,
      details: { name: 'ops', scopes: ['read', 'credits'], expires_at_ms: null },
    },
  ])
})

test('a key opens the admin API until its time is over', async () => {
  await using world = adminWorld()
  const wish = { ...WISH, expires_at_ms: world.clock.wallMs() + HOUR_MS }
  const { body } = await world.call('POST', '/management-keys', wish)
  const outside = outsideOf(world)
  const headers = { authorization: `bearer ${body.secret}` }
  expect((await outside.get('/accounts', headers)).status).toBe(200)
  world.clock.advance(HOUR_MS - 1)
  expect((await outside.get('/accounts', headers)).status).toBe(200)
  expect(outside.lifted).toHaveLength(2)
  world.clock.advance(1)
  expect(await outside.get('/accounts', headers)).toMatchObject(refusal(401, 'invalid_api_key'))
  expect(outside.lifted).toHaveLength(2)
  expect((await world.call('GET', `/management-keys/${body.id}`)).body.state).toBe('expired')
  expect(await world.call('POST', '/management-keys', wish)).toMatchObject(
    refusal(400, 'invalid_request', 'expires_at_ms'),
  )
})

test('431: a head that is too large is refused before its key is looked at', async () => {
  await using world = adminWorld()
  const outside = outsideOf(world)
  expect(await outside.get('/accounts', { 'x-long': 'x'.repeat(33_000) })).toMatchObject(refusal(431, 'head_too_large'))
  expect(world.store.readGate.begun).toBe(0)
})

test('500: keys that cannot be read open nothing', async () => {
  await using world = adminWorld()
  const { body } = await world.call('POST', '/management-keys', WISH)
  Object.assign(world.store.reads, { managementKeyByHash: () => Promise.reject(new Error('canary')) })
  const answer = await outsideOf(world).get('/accounts', { authorization: `Bearer ${body.secret}` })
  expect(answer).toMatchObject(refusal(500, 'internal_error'))
  expect(JSON.stringify(answer.body)).not.toContain('canary')
  expect(world.takeErrors()).toMatchObject([{ event: 'admin' }])
})

test('revoking twice changes nothing the second time', async () => {
  await using world = adminWorld()
  const { id } = (await world.call('POST', '/management-keys', WISH)).body
  const first = await world.call('POST', `/management-keys/${id}/revoke`)
  world.clock.advance(HOUR_MS)
  const second = await world.call('POST', `/management-keys/${id}/revoke`)
  expect(second.body).toEqual(first.body)
  expect(second.headers.get('etag')).toBe('"2"')
})
