import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { adminOverPort, type PublicAdminCall } from '../support/admin-client.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'

// Every admin resource on the public port, by status code. One gateway for all: no case depends on another.

let gateway: TestGateway
let call: PublicAdminCall
let known: Readonly<Record<'account' | 'key' | 'managementKey' | 'credential', string>>

beforeAll(async () => {
  // Nothing is ever sent there.
  gateway = await startGateway({ offers: { m1: [{ provider: { origin: 'http://127.0.0.1:9' } }] } })
  const { body } = await gateway.admin('POST', '/management-keys', {
    name: 'all',
    scopes: ['read', 'write', 'credits'],
  })
  call = adminOverPort(gateway.origin, body.secret)
  const keys = await call('GET', '/keys')
  const credential = { provider: 'mock', name: 'known', secret: 'sk-own-0123456789' }
  const made = await call('POST', '/accounts/test/credentials', credential)
  known = {
    account: gateway.account,
    key: keys.body.data[0].id,
    managementKey: body.id,
    credential: made.body.id,
  }
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** Names in braces stand for what is there. */
const pathOf = (path: string): string =>
  path
    .replace('{account}', known.account)
    .replace('{key}', known.key)
    .replace('{managementKey}', known.managementKey)
    .replace('{credential}', known.credential)

describe('200', () => {
  test.each([
    ['GET', '/accounts'],
    ['GET', '/accounts/test'],
    ['GET', '/accounts/{account}'],
    ['GET', '/accounts/test/credentials'],
    ['GET', '/accounts/test/credentials/{credential}'],
    ['GET', '/keys'],
    ['GET', '/keys?account=test&limit=1'],
    ['GET', '/credits?account=test'],
    ['GET', '/ledger/settlements'],
    ['GET', '/ledger/holds'],
    ['GET', '/ledger/postings'],
    ['POST', '/ledger/verify'],
    ['GET', '/records'],
    ['GET', '/slots'],
    ['GET', '/models'],
    ['POST', '/route', { model: 'm1' }],
    ['GET', '/backends'],
    ['GET', '/backends/b0'],
    ['GET', '/quarantine'],
    ['PUT', '/quarantine/b0', { reason: 'maintenance' }],
    ['GET', '/usage'],
    ['GET', '/config'],
    ['POST', '/config/validate', 'server: { port: 1 }'],
    ['GET', '/management-keys'],
    ['GET', '/management-keys/{managementKey}'],
    ['GET', '/audit'],
  ])('%s %s', async (...[method = '', path = '', body]) => {
    expect(await call(String(method), pathOf(String(path)), body)).toMatchObject({ status: 200 })
  })
})

describe('201', () => {
  test.each([
    ['/accounts', { name: 'second' }],
    ['/accounts/test/credentials', { provider: 'mock', name: 'second', secret: 'sk-own-0123456789' }],
    ['/keys', { account: 'test', name: 'second' }],
    ['/credits', { account: 'test', usd: '1.00' }],
    ['/management-keys', { name: 'second', scopes: ['read'] }],
  ])('POST %s', async (path, body) => {
    expect((await call('POST', path, body)).status).toBe(201)
  })
})

describe('404', () => {
  test.each([
    ['GET', '/accounts/nobody'],
    ['GET', '/accounts/nobody/credentials'],
    ['GET', '/accounts/test/credentials/cred_none'],
    ['GET', '/keys?account=nobody'],
    ['POST', '/keys/key_none/revoke'],
    ['POST', '/keys', { account: 'nobody', name: 'x' }],
    ['POST', '/credits', { account: 'nobody', usd: '1' }],
    ['GET', '/credits?account=nobody'],
    ['GET', '/ledger/settlements?account=nobody'],
    ['GET', '/records/req_none'],
    ['POST', '/route', { model: 'nothing' }],
    ['GET', '/backends/none'],
    ['PUT', '/quarantine/none', { reason: 'x' }],
    ['DELETE', '/quarantine/none'],
    ['GET', '/usage?account=nobody'],
    ['GET', '/management-keys/mkey_none'],
    ['POST', '/management-keys/mkey_none/revoke'],
    ['GET', '/nothing'],
    ['GET', '/accounts/a/b/c/d'],
    ['GET', '/config/nothing'],
  ])('%s %s', async (...[method = '', path = '', body]) => {
    expect((await call(String(method), String(path), body)).status).toBe(404)
  })
})

describe('405 with Allow', () => {
  test.each([
    ['DELETE', '/accounts', 'GET, POST'],
    ['PUT', '/keys', 'GET, POST'],
    ['PATCH', '/credits', 'GET, POST'],
    ['GET', '/ledger/verify', 'POST'],
    ['POST', '/ledger/settlements', 'GET'],
    ['POST', '/records', 'GET'],
    ['POST', '/slots', 'GET'],
    ['POST', '/models', 'GET'],
    ['GET', '/route', 'POST'],
    ['POST', '/backends', 'GET'],
    ['POST', '/quarantine', 'GET'],
    ['POST', '/usage', 'GET'],
    ['PUT', '/config', 'GET'],
    ['GET', '/config/validate', 'POST'],
    ['DELETE', '/management-keys', 'GET, POST'],
    ['GET', '/management-keys/mkey_x/revoke', 'POST'],
    ['POST', '/audit', 'GET'],
  ])('%s %s', async (method, path, allow) => {
    const { status, headers, body } = await call(method, path)
    expect({ status, allow: headers.get('allow'), code: body.error.code }).toEqual({
      status: 405,
      allow,
      code: 'method_not_allowed',
    })
  })
})

describe('409', () => {
  test('a name that is taken, and more than there is', async () => {
    for (const [path, body] of [
      ['/accounts', { name: 'test' }],
      ['/accounts/test/credentials', { provider: 'mock', name: 'known', secret: 'sk-own-0123456789' }],
      ['/credits', { account: 'test', usd: '-1000', kind: 'adjustment', note: 'x' }],
    ] as const) {
      expect(await call('POST', path, body)).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
    }
  })

  test.each([
    ['/accounts', { name: 'idempotent' }, { name: 'another' }],
    ['/keys', { account: 'test', name: 'idempotent' }, { account: 'test', name: 'another' }],
    ['/credits', { account: 'test', usd: '0.10' }, { account: 'test', usd: '0.11' }],
    ['/management-keys', { name: 'idempotent', scopes: ['read'] }, { name: 'another', scopes: ['read'] }],
  ])('POST %s: an Idempotency-Key used for another request', async (path, body, other) => {
    const key = { 'idempotency-key': `for ${path}`.replace(' ', '-') }
    const first = await call('POST', path, body, key)
    expect(first.status).toBe(201)
    const again = await call('POST', path, body, key)
    expect(again).toMatchObject({ status: 201, body: first.body })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await call('POST', path, other, key)).toMatchObject({
      status: 409,
      body: { error: { code: 'idempotency_key_reused', param: 'Idempotency-Key' } },
    })
  })
})

describe('412 with the ETag that is current', () => {
  test.each(['"7"', '"nonsense"', 'W/"1"', '"0"'])('If-Match: %s', async (tag) => {
    const { body, headers } = await call('POST', '/management-keys', { name: 'versions', scopes: ['read'] })
    const path = `/management-keys/${body.id}/revoke`
    expect(headers.get('etag')).toBe('"1"')
    const refused = await call('POST', path, undefined, { 'if-match': tag })
    expect(refused).toMatchObject({ status: 412, body: { error: { code: 'precondition_failed' } } })
    expect(refused.headers.get('etag')).toBe('"1"')
    const done = await call('POST', path, undefined, { 'if-match': '"1"' })
    expect(done).toMatchObject({ status: 200, body: { state: 'revoked' } })
    expect(done.headers.get('etag')).toBe('"2"')
    expect((await call('POST', path, undefined, { 'if-match': '*' })).status).toBe(200)
    expect((await call('GET', `/management-keys/${body.id}`)).headers.get('etag')).toBe('"2"')
  })
})
