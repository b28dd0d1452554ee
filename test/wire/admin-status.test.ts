import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { adminOverPort, type PublicAdminCall } from '../support/admin-client.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'

// Every admin resource on the public port, by status code. One gateway for all: no case depends on another.

let gateway: TestGateway
let call: PublicAdminCall
let secret: string
let known: Readonly<Record<'account' | 'key' | 'managementKey' | 'credential', string>>

beforeAll(async () => {
  // Nothing is ever sent there.
  gateway = await startGateway({ offers: { m1: [{ provider: { origin: 'http://127.0.0.1:9' } }] } })
  const { body } = await gateway.admin('POST', '/management-keys', {
    name: 'all',
    scopes: ['read', 'write', 'credits'],
  })
  secret = body.secret
  call = adminOverPort(gateway.origin, secret)
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

describe('400', () => {
  const WRITES = [
    ['POST', '/accounts'],
    ['POST', '/accounts/test/credentials'],
    ['POST', '/keys'],
    ['POST', '/credits'],
    ['POST', '/route'],
    ['PUT', '/quarantine/b0'],
    ['POST', '/management-keys'],
  ] as const

  test.each(WRITES)('%s %s: what is no JSON, with the position', async (method, path) => {
    const { status, body } = await call(method, path, '{\n  "name" "canary"\n}')
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'invalid_json' })
    expect(body.error.message).toContain('line 2, column 10')
    expect(body.error.message).not.toContain('canary')
  })

  test.each(WRITES)('%s %s: a field twice, a field that is none, no object at all', async (method, path) => {
    for (const [body, code] of [
      ['{"account":"test","account":"test"}', 'duplicate_field'],
      ['{"nonsense":1}', 'invalid_request'],
      ['[]', 'invalid_request'],
      ['', 'invalid_json'],
    ] as const) {
      const answer = await call(method, path, body)
      expect({ status: answer.status, code: answer.body.error.code }).toEqual({ status: 400, code })
    }
  })

  test.each([
    '/accounts',
    '/accounts/test/credentials',
    '/keys',
    '/credits?account=test',
    '/ledger/settlements',
    '/records',
    '/management-keys',
    '/audit',
  ])('GET %s: limits and cursors that are none', async (path) => {
    const query = path.includes('?') ? `${path}&` : `${path}?`
    for (const limit of ['0', '-1', '201', '1.5', '1e2', '0x10', 'all', '']) {
      const answer = await call('GET', `${query}limit=${limit}`)
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_request', param: 'limit' } } })
    }
    for (const after of ['', 'nonsense', "'; DROP TABLE account", '99999999999999999999999', 'acc_\u0000']) {
      const answer = await call('GET', `${query}after=${encodeURIComponent(after)}`)
      expect({ after, status: answer.status, param: answer.body.error?.param }).toEqual({
        after,
        status: 400,
        param: 'after',
      })
    }
  })

  test.each([
    '0.0000000001',
    '-5.00',
    '1e3',
    '1E-2',
    '9007199.254740992',
    '99999999999999999999',
    'NaN',
    'Infinity',
    '-Infinity',
    '0',
    '',
    '5,00',
    '$5',
    '٥',
    5,
    1e308,
    null,
  ])('POST /credits: %p is no amount to add', async (usd) => {
    const before = (await call('GET', '/accounts/test')).body.balance_nano
    expect(await call('POST', '/credits', { account: 'test', usd })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', param: 'usd' } },
    })
    expect((await call('GET', '/accounts/test')).body.balance_nano).toBe(before)
  })

  test.each([
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: ['admin'] }, 'scopes'],
    [{ name: 'x', scopes: ['read', 'read'] }, 'scopes'],
    [{ name: 'x', scopes: 'read' }, 'scopes'],
    [{ name: '', scopes: ['read'] }, 'name'],
    [{ name: 'a\u0007b', scopes: ['read'] }, 'name'],
    [{ name: 'x', scopes: ['read'], expires_at_ms: 1 }, 'expires_at_ms'],
    [{ name: 'x', scopes: ['read'], expires_at_ms: '2027-01-01' }, 'expires_at_ms'],
    [{ name: 'x', scopes: ['read'], secret: 'ak_mine' }, 'secret'],
  ])('POST /management-keys: %j', async (body, param) => {
    const answer = await call('POST', '/management-keys', body)
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBe('invalid_request')
    expect(answer.body.error.param).toStartWith(param)
  })

  test.each(['', 'a b', 'ä', 'x'.repeat(256)])('an Idempotency-Key that is none: %p', async (key) => {
    // What HTTP cannot carry at all is refused before it is ours.
    const sent = call('POST', '/credits', { account: 'test', usd: '1' }, { 'idempotency-key': key })
    expect(await sent).toMatchObject({ status: 400, body: { error: { param: 'Idempotency-Key' } } })
  })

  test.each(['3', '"1", "2"', 'nonsense', ''])('an If-Match that is none: %p', async (tag) => {
    const path = pathOf('/management-keys/{managementKey}/revoke')
    expect(await call('POST', path, undefined, { 'if-match': tag })).toMatchObject({
      status: 400,
      body: { error: { param: 'If-Match' } },
    })
  })

  test('a configuration that is no text', async () => {
    const response = await fetch(`${gateway.origin}/admin/v1/config/validate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}` },
      body: new Uint8Array([0xff, 0xfe, 0x00]),
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request' } })
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

describe('413', () => {
  const long = (bytes: number) => JSON.stringify({ name: 'x'.repeat(bytes) })

  test.each([
    ['/accounts', 1024 ** 2],
    ['/accounts/test/credentials', 1024 ** 2],
    ['/keys', 1024 ** 2],
    ['/credits', 1024 ** 2],
    ['/route', 1024 ** 2],
    ['/management-keys', 1024 ** 2],
    ['/config/validate', 10 * 1024 ** 2],
  ])('POST %s', async (path, bytes) => {
    expect(await call('POST', path, long(bytes))).toMatchObject({
      status: 413,
      body: { error: { code: 'body_too_large' } },
    })
  })
})
