import { describe, expect, test } from 'bun:test'
import { setCaller } from '../../../../src/http/admin/caller.ts'
import { ACCOUNT } from '../../../support/house.ts'
import { settled } from '../../store/store-kit.ts'
import { type AdminWorld, adminWorld, refusal } from './support.ts'

const CANARY = 'sk-own-canary-0123456789'

interface Change {
  readonly path: (world: AdminWorld) => Promise<string> | string
  readonly body?: unknown
  readonly action: string
}

const credential = async (world: AdminWorld): Promise<string> => {
  const wish = { provider: 'acme', name: 'own', secret: CANARY }
  return `/accounts/${ACCOUNT}/credentials/${(await world.call('POST', `/accounts/${ACCOUNT}/credentials`, wish)).body.id}`
}
const managementKey = async (world: AdminWorld): Promise<string> =>
  (await world.call('POST', '/management-keys', { name: 'm', scopes: ['read'] })).body.id

/** A request that was charged something. */
const served = async (world: AdminWorld): Promise<string> => {
  await world.store.writer.settle(settled(`req_${'0'.repeat(32)}`, 5, ACCOUNT))
  return '/credits/refunds'
}

const WEBHOOK = { url: 'https://hooks.customer.example/' }
const webhook = async (world: AdminWorld): Promise<string> => {
  const path = `/accounts/${ACCOUNT}/webhook`
  expect((await world.call('PUT', path, WEBHOOK)).status).toBe(200)
  return path
}

/** Every route that changes what the ledger file holds, and the row that it must leave. A new route must come here, or to `UNAUDITED`. */
const CHANGES: Readonly<Record<string, Change>> = {
  'POST /accounts': { path: () => '/accounts', body: { name: 'second' }, action: 'account.create' },
  'PATCH /accounts/:account': {
    path: () => `/accounts/${ACCOUNT}`,
    body: { disabled: true },
    action: 'account.update',
  },
  'POST /keys': { path: () => '/keys', body: { account: ACCOUNT, name: 'second' }, action: 'key.create' },
  'PATCH /keys/:key': { path: () => '/keys/key_test', body: { name: 'other' }, action: 'key.update' },
  'POST /keys/:key/revoke': { path: () => '/keys/key_test/revoke', action: 'key.revoke' },
  'POST /credits': { path: () => '/credits', body: { account: ACCOUNT, usd: '5.00' }, action: 'credits.top_up' },
  'POST /credits/grants': {
    path: () => '/credits/grants',
    body: { account: ACCOUNT, usd: '5.00', expires_at_ms: 4_000_000_000_000 },
    action: 'credits.promo_grant',
  },
  'POST /credits/refunds': {
    path: served,
    body: { request: `req_${'0'.repeat(32)}` },
    action: 'credits.refund',
  },
  'PUT /accounts/:account/webhook': {
    path: () => `/accounts/${ACCOUNT}/webhook`,
    body: WEBHOOK,
    action: 'webhook.set',
  },
  'POST /accounts/:account/webhook/test': {
    path: async (world) => `${await webhook(world)}/test`,
    action: 'webhook.test',
  },
  'DELETE /accounts/:account/webhook': { path: webhook, action: 'webhook.remove' },
  'POST /management-keys': {
    path: () => '/management-keys',
    body: { name: 'm', scopes: ['read'] },
    action: 'management_key.create',
  },
  'POST /management-keys/:key/revoke': {
    path: async (world) => `/management-keys/${await managementKey(world)}/revoke`,
    action: 'management_key.revoke',
  },
  'POST /accounts/:account/credentials': {
    path: () => `/accounts/${ACCOUNT}/credentials`,
    body: { provider: 'acme', name: 'own', secret: CANARY },
    action: 'own_credential.create',
  },
  'PATCH /accounts/:account/credentials/:credential': {
    path: credential,
    body: { secret: `${CANARY}-new` },
    action: 'own_credential.update',
  },
  'DELETE /accounts/:account/credentials/:credential': { path: credential, action: 'own_credential.delete' },
  'POST /master-key/rotate': { path: () => '/master-key/rotate', action: 'master_key.rotate' },
  'PUT /quarantine/:backend': {
    path: () => '/quarantine/north',
    body: { reason: 'maintenance' },
    action: 'quarantine.set',
  },
  'DELETE /quarantine/:backend': {
    path: async (world) => {
      await world.call('PUT', '/quarantine/north', { reason: 'maintenance' })
      return '/quarantine/north'
    },
    action: 'quarantine.clear',
  },
}

/** They change nothing there; but for smoke, whose key leaves the rows of every key. */
const UNAUDITED = [
  'POST /ledger/verify',
  'POST /backups',
  'POST /route',
  'POST /config/validate',
  'POST /config/reload',
  'POST /doctor',
  'POST /backends/:backend/smoke',
  'POST /backends/:backend/ping',
  'POST /backends/:backend/probe',
]

test('every route that is no question is known here', async () => {
  await using world = adminWorld()
  const routes = world.app.routes
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path.slice('/admin/v1'.length)}`)
  expect(routes.sort()).toEqual([...Object.keys(CHANGES), ...UNAUDITED].sort())
})

describe('one row of the audit for each change, without a secret, by who asked', () => {
  test.each(Object.entries(CHANGES))('%s', async (route, { path, body, action }) => {
    await using world = adminWorld()
    const method = route.slice(0, route.indexOf(' '))
    const place = await path(world)
    const { audit } = world.store.tables
    const before = audit.length
    const request = new Request(`http://admin/admin/v1${place}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    setCaller(request, { actor: 'key:mkey_1', scopes: new Set(['read', 'write', 'credits']) })
    const response = await world.app.handle(request)
    expect(response.ok).toBe(true)
    expect(audit.slice(before)).toMatchObject([{ actor: 'key:mkey_1', action, atMs: world.clock.wallMs() }])
    expect(audit.at(-1)?.subject).toMatch(/^((acc|key|mkey|cred)_|north$|master key )/)
    expect(JSON.stringify(audit)).not.toContain('canary')
  })

  test.each(Object.entries(CHANGES))('%s: none when nothing can be written', async (route, { path, body }) => {
    await using world = adminWorld()
    const place = await path(world)
    const rows = world.store.tables.audit.length
    world.store.disk.fail()
    const answer = await world.call(route.slice(0, route.indexOf(' ')), place, body)
    expect(answer).toMatchObject(refusal(503, 'storage_unavailable'))
    expect(world.store.tables.audit).toHaveLength(rows)
    world.takeErrors()
  })
})

test('400: filters and cursors that are none', async () => {
  await using world = adminWorld()
  for (const [query, param] of [
    ['after=key_1', 'after'],
    ['limit=0', 'limit'],
    ['subject=', 'subject'],
    ['action=', 'action'],
  ] as const) {
    expect(await world.call('GET', `/audit?${query}`)).toMatchObject(refusal(400, 'invalid_request', param))
  }
})
