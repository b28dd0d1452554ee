import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { adminOverPort } from '../support/admin-client.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { executable } from '../support/run-gateway.ts'
import { chat, errorOf } from '../support/wire-chat.ts'

/** Nothing is ever sent there. */
const NOBODY = { offers: { m1: [{ provider: { origin: 'http://127.0.0.1:9' } }] } }

async function managementKey(gateway: TestGateway, scopes: readonly string[], more: object = {}) {
  const { status, body } = await gateway.admin('POST', '/management-keys', { name: scopes.join('+'), scopes, ...more })
  expect(status).toBe(201)
  expect(body.secret).toMatch(/^ak_[0-9A-Za-z]{43}$/)
  return { id: String(body.id), secret: String(body.secret), call: adminOverPort(gateway.origin, body.secret) }
}

describe('401 on the public port', () => {
  test('without a key, with one of an account, with one that nobody has', async () => {
    await using gateway = await startGateway(NOBODY)
    const reader = await managementKey(gateway, ['read'])
    const almost = reader.secret.slice(0, -1) + (reader.secret.endsWith('x') ? 'y' : 'x')
    for (const [secret, code, words] of [
      [null, 'missing_api_key', 'management key'],
      [gateway.key, 'invalid_api_key', 'This is an API key'],
      [almost, 'invalid_api_key', 'Incorrect management key'],
      ['ak_', 'invalid_api_key', 'Incorrect management key'],
      [`ak_${'x'.repeat(5000)}`, 'invalid_api_key', 'Incorrect management key'],
    ] as const) {
      for (const [method, path] of [
        ['GET', '/accounts'],
        ['POST', '/credits'],
        ['GET', '/nothing'],
        ['DELETE', '/accounts'],
      ] as const) {
        const { status, body, headers } = await adminOverPort(gateway.origin, secret)(method, path)
        expect({ status, code: body.error.code }).toEqual({ status: 401, code })
        expect(body.error.message).toContain(words)
        if (secret !== null && secret.length > 10) expect(body.error.message).not.toContain(secret)
        expect(headers.get('www-authenticate')).toBe('Bearer')
      }
    }
  })

  test('at once when it is revoked', async () => {
    await using gateway = await startGateway(NOBODY)
    const { id, call } = await managementKey(gateway, ['read'], { expires_at_ms: 4_102_444_800_000 })
    expect((await call('GET', '/accounts')).status).toBe(200)
    expect((await gateway.admin('POST', `/management-keys/${id}/revoke`)).body.state).toBe('revoked')
    expect((await call('GET', '/accounts')).status).toBe(401)
  })

  test('a management key opens nothing on /v1, and is told why', async () => {
    await using gateway = await startGateway(NOBODY)
    const { secret } = await managementKey(gateway, ['read', 'write', 'credits'])
    for (const headers of [{ authorization: `Bearer ${secret}` }, { 'x-api-key': secret }]) {
      for (let again = 0; again < 2; again++) {
        const error = await errorOf(chat(gateway, {}, headers))
        expect(error).toMatchObject({ status: 401, code: 'invalid_api_key' })
        expect(error.message).toContain('management key')
      }
    }
  })
})

describe('403 for what a key has no scope for', () => {
  const ASKED = [
    ['GET', '/accounts', undefined, 'read'],
    ['GET', '/credits?account=test', undefined, 'read'],
    ['GET', '/audit', undefined, 'read'],
    ['GET', '/config', undefined, 'read'],
    ['GET', '/management-keys', undefined, 'read'],
    ['POST', '/ledger/verify', undefined, 'read'],
    ['GET', '/ledger/postings', undefined, 'read'],
    ['POST', '/backups', undefined, 'write'],
    ['POST', '/accounts', { name: 'scoped' }, 'write'],
    ['POST', '/keys', { account: 'test', name: 'scoped' }, 'write'],
    ['POST', '/config/validate', 'server: {}', 'write'],
    ['POST', '/credits', { account: 'test', usd: '0.01' }, 'credits'],
  ] as const

  test.each(['read', 'write', 'credits'] as const)('%s', async (scope) => {
    await using gateway = await startGateway(NOBODY)
    const { call } = await managementKey(gateway, [scope])
    for (const [method, path, body, needed] of ASKED) {
      const answer = await call(method, path, body)
      const got = { path, status: answer.status, code: answer.body.error?.code }
      if (needed === scope) expect(got).toEqual({ path, status: expect.any(Number), code: undefined })
      else expect(got).toEqual({ path, status: 403, code: 'insufficient_scope' })
      if (needed !== scope) expect(answer.body.error.message).toContain(`'${needed}'`)
    }
  })

  test('however the path is spelled', async () => {
    await using gateway = await startGateway(NOBODY)
    const { secret } = await managementKey(gateway, ['read', 'write'])
    const body = JSON.stringify({ account: 'test', usd: '5.00' })
    for (const path of [
      '/credits/',
      '/%63redits',
      '/Credits',
      '//credits',
      '/accounts/../credits',
      '/credits?x=/route',
      '/credits#/route',
    ]) {
      const answer = rawRequest(gateway.origin, {
        method: 'POST',
        path: `/admin/v1${path}`,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body,
      })
      expect({ path, refused: [400, 403, 404].includes(await answer.status()) }).toEqual({ path, refused: true })
    }
    expect((await gateway.admin('GET', '/accounts/test')).body.balance_usd).toBe('1.00')
  })

  test('a key makes no key that may do more, and no account that spends without being paid', async () => {
    await using gateway = await startGateway(NOBODY)
    const { call } = await managementKey(gateway, ['read', 'write'])
    for (const [path, body] of [
      ['/management-keys', { name: 'more', scopes: ['credits'] }],
      ['/accounts', { name: 'free', kind: 'unmetered' }],
    ] as const) {
      expect(await call('POST', path, body)).toMatchObject({
        status: 403,
        body: { error: { code: 'insufficient_scope' } },
      })
    }
    expect((await call('POST', '/management-keys', { name: 'less', scopes: ['read'] })).status).toBe(201)
    expect((await call('GET', '/accounts')).body.data).toHaveLength(1)
  })
})

test('the same handlers on both ways in: only the actor differs', async () => {
  await using gateway = await startGateway(NOBODY)
  const { id, call } = await managementKey(gateway, ['read', 'write', 'credits'])
  const outside = await call('POST', '/credits', { account: 'test', usd: '2.00' })
  const inside = await gateway.admin('POST', '/credits', { account: 'test', usd: '2.00' })
  expect(outside.body).toMatchObject({ actor: `key:${id}`, balance_after_usd: '3.00' })
  expect(inside.body).toMatchObject({ balance_after_usd: '5.00' })
  expect(inside.body.actor).toMatch(executable === null ? /^test$/ : /^local:\d+$/)
  for (const path of ['/accounts', '/credits?account=test', '/audit', '/management-keys', '/models', '/config']) {
    expect((await call('GET', path)).body).toEqual((await gateway.admin('GET', path)).body)
  }
})

test('secrets are in no file of the data folder, no log line and no later answer', async () => {
  await using gateway = await startGateway(NOBODY)
  const all = await managementKey(gateway, ['read', 'write', 'credits'])
  const once = { 'idempotency-key': 'made-once' }
  const made = await all.call('POST', '/keys', { account: 'test', name: 'once' }, once)
  const secrets = [all.secret, String(made.body.secret), gateway.key]
  const told = [
    ...(await Promise.all(['/audit', '/keys', '/management-keys', '/config'].map((path) => all.call('GET', path)))),
    gateway.logs(),
  ]
  const files = readdirSync(gateway.dataFolder).filter((name) => /\.db(-wal)?$/.test(name))
  expect(files.length).toBeGreaterThan(1)
  for (const secret of secrets) {
    expect(JSON.stringify(told)).not.toContain(secret)
    for (const file of files) expect(readFileSync(join(gateway.dataFolder, file)).includes(secret)).toBe(false)
  }
})

test('every write leaves one row of the audit, by who asked for it', async () => {
  await using gateway = await startGateway(NOBODY)
  const { id, call } = await managementKey(gateway, ['read', 'write', 'credits'])
  const account = (await call('POST', '/accounts', { name: 'audited' })).body.id
  const key = (await call('POST', '/keys', { account, name: 'first' })).body.id
  await call('POST', `/keys/${key}/revoke`)
  await call('POST', '/credits', { account, usd: '5.00', note: 'invoice 7' })
  const other = (await call('POST', '/management-keys', { name: 'other', scopes: ['read'] })).body.id
  await call('POST', `/management-keys/${other}/revoke`)
  // refused: no change, no row
  await call('POST', '/accounts', { name: 'audited' })
  await call('POST', '/credits', { account, usd: '-500.00', kind: 'adjustment' })
  await call('POST', '/keys/key_none/revoke')

  const rows = (await call('GET', '/audit?limit=6')).body.data
  expect(new Set(rows.map(({ actor }: { actor: string }) => actor))).toEqual(new Set([`key:${id}`]))
  expect(rows.map(({ action, subject }: { action: string; subject: string }) => [action, subject]).reverse()).toEqual([
    ['account.create', account],
    ['key.create', key],
    ['key.revoke', key],
    ['credits.top_up', account],
    ['management_key.create', other],
    ['management_key.revoke', other],
  ])
  expect(rows[2].details).toEqual({ amount_usd: '5.00', amount_nano: 5_000_000_000, note: 'invoice 7' })

  const paged = await call('GET', `/audit?subject=${key}&limit=1`)
  expect(paged.body).toMatchObject({ has_more: true, data: [{ action: 'key.revoke' }] })
  const rest = await call('GET', `/audit?subject=${key}&limit=1&after=${paged.body.next}`)
  expect(rest.body).toMatchObject({ has_more: false, next: null, data: [{ action: 'key.create' }] })
  expect((await call('GET', `/audit?action=credits.top_up&subject=${account}`)).body.data).toHaveLength(1)

  const ledger = new Database(join(gateway.dataFolder, 'ledger.db'), { readonly: true })
  const unnamed = ledger.query("SELECT count(*) AS rows FROM audit WHERE actor = 'system'").get()
  ledger.close()
  expect(unnamed).toEqual({ rows: 0 })
})
