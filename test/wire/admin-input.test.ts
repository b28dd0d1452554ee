import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { adminOverPort, type PublicAdminCall } from '../support/admin-client.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'

// What no admin resource takes, on the public port. One gateway for all: nothing of this changes anything.

let gateway: TestGateway
let call: PublicAdminCall
let secret: string
let managementKey: string

beforeAll(async () => {
  // Nothing is ever sent there.
  gateway = await startGateway({ offers: { m1: [{ provider: { origin: 'http://127.0.0.1:9' } }] } })
  const { body } = await gateway.admin('POST', '/management-keys', {
    name: 'all',
    scopes: ['read', 'write', 'credits'],
  })
  secret = body.secret
  managementKey = body.id
  call = adminOverPort(gateway.origin, secret)
})
afterAll(() => gateway[Symbol.asyncDispose]())

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
    const path = `/management-keys/${managementKey}/revoke`
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
