import { describe, expect, test } from 'bun:test'
import { setCaller } from '../../../../src/http/admin/caller.ts'
import { once } from '../../../../src/http/admin/once.ts'
import { createVault } from '../../../../src/vault/index.ts'
import { ACCOUNT } from '../../../support/house.ts'
import { oneKey } from '../../../support/vault.ts'
import { type AdminWorld, adminWorld, refusal } from './support.ts'

const WISH = { account: ACCOUNT, usd: '-0.60', kind: 'adjustment', note: 'refund' }
const key = (value: string) => ({ 'idempotency-key': value })
const balanceOf = (world: AdminWorld) => Number(world.store.tables.accounts.get(ACCOUNT)?.balance)

describe('the same request with the same key', () => {
  test('gets the same answer and moves nothing, though it could not be done again', async () => {
    await using world = adminWorld({ balanceUsd: '1.00' })
    const first = await world.call('POST', '/credits', WISH, key('k1'))
    expect(first).toMatchObject({ status: 201, body: { balance_after_usd: '0.40' } })
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    world.clock.advance(3_600_000)
    for (let again = 0; again < 3; again++) {
      const answer = await world.call('POST', '/credits', WISH, key('k1'))
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 201, body: first.body })
      expect(answer.headers.get('idempotent-replayed')).toBe('true')
    }
    expect(balanceOf(world)).toBe(400_000_000)
    expect(Number(world.funds().balance)).toBe(400_000_000)
    expect(world.store.tables.audit).toHaveLength(1)
  })

  test('at the same time has one effect, and all get its answer', async () => {
    await using world = adminWorld({ balanceUsd: '1.00' })
    const answers = await Promise.all(Array.from({ length: 5 }, () => world.call('POST', '/credits', WISH, key('k1'))))
    expect(new Set(answers.map(({ status, body }) => JSON.stringify({ status, body }))).size).toBe(1)
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
    expect(balanceOf(world)).toBe(400_000_000)
  })

  test('is done when the first could not be', async () => {
    await using world = adminWorld({ balanceUsd: '1.00' })
    world.store.disk.fail()
    const refused = await Promise.all([1, 2].map(() => world.call('POST', '/credits', WISH, key('k1'))))
    for (const answer of refused) expect(answer).toMatchObject(refusal(503, 'storage_unavailable'))
    world.store.disk.heal()
    expect((await world.call('POST', '/credits', WISH, key('k1'))).status).toBe(201)
    expect(balanceOf(world)).toBe(400_000_000)
    world.takeErrors()
  })

  test('gets the answer of then, whatever has become of what was made', async () => {
    await using world = adminWorld()
    const first = await world.call('POST', '/accounts', { name: 'new' }, key('k1'))
    await world.call('POST', '/credits', { account: 'new', usd: '5.00' })
    await world.call('PATCH', `/accounts/${first.body.id}`, { name: 'renamed' })
    const again = await world.call('POST', '/accounts', { name: 'new' }, key('k1'))
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('etag')).toBe('"1"')
  })

  test('written otherwise, but saying the same, is the same', async () => {
    await using world = adminWorld()
    const first = await world.call('POST', '/accounts', '{"name":"a"}', key('k1'))
    const again = await world.call('POST', '/accounts', '{ "name" : "\\u0061" }\n', key('k1'))
    expect(again.body).toEqual(first.body)
    expect(world.store.tables.accounts.size).toBe(2)
  })

  test('shows a new secret again, which is on disk in no form that can be read', async () => {
    await using world = adminWorld()
    for (const [path, wish] of [
      ['/keys', { account: ACCOUNT, name: 'laptop' }],
      ['/management-keys', { name: 'ops', scopes: ['read'] }],
    ] as const) {
      const first = await world.call('POST', path, wish, key(`for-${path}`))
      const again = await world.call('POST', path, wish, key(`for-${path}`))
      expect(again.body).toEqual(first.body)
      expect(again.headers.get('etag')).toBe('"1"')
      expect(first.body.secret.length).toBeGreaterThan(40)
      expect(JSON.stringify([...world.store.tables.keptAnswers])).not.toContain(first.body.secret)
    }
  })

  test('whose secret another master key has sealed says so, and what to do', async () => {
    await using world = adminWorld()
    const wish = { account: ACCOUNT, name: 'laptop' }
    await world.call('POST', '/keys', wish, key('k1'))
    const other = createVault(oneKey(new Uint8Array(32).fill(8)), world.house.random)
    const { keptAnswers, keys } = world.store.tables
    for (const kept of keptAnswers.values())
      Object.assign(kept, { sealed: other.seal('secret', { rowId: 'k1', accountId: 'local:7' }) })
    const before = keys.size
    const again = await world.call('POST', '/keys', wish, key('k1'))
    expect(again).toMatchObject(refusal(409, 'conflict', 'Idempotency-Key'))
    expect(again.body.error.message).toContain('another master.key')
    expect(keys.size).toBe(before)
  })
})

describe('another request', () => {
  test('with the same key is refused and does nothing', async () => {
    await using world = adminWorld({ balanceUsd: '1.00' })
    await world.call('POST', '/credits', WISH, key('k1'))
    for (const [path, body] of [
      ['/credits', { ...WISH, usd: '-0.10' }],
      ['/credits', { ...WISH, note: 'another' }],
      ['/accounts', { name: 'x' }],
    ] as const) {
      expect(await world.call('POST', path, body, key('k1'))).toMatchObject(
        refusal(409, 'idempotency_key_reused', 'Idempotency-Key'),
      )
    }
    expect(balanceOf(world)).toBe(400_000_000)
    expect(world.store.tables.accounts.size).toBe(1)
  })

  test('with another key, or of another caller with the same, is another', async () => {
    await using world = adminWorld({ balanceUsd: '2.00' })
    await world.call('POST', '/credits', WISH, key('k1'))
    await world.call('POST', '/credits', WISH, key('k2'))
    expect(balanceOf(world)).toBe(800_000_000)

    const made: string[] = []
    for (const actor of ['key:mkey_1', 'key:mkey_2', 'key:mkey_1']) {
      const request = new Request('http://admin/admin/v1/x', { method: 'POST', headers: key('k1') })
      setCaller(request, { actor, scopes: new Set() })
      const vault = { seal: () => '', open: () => '' }
      const deps = { store: world.store, clock: world.clock, vault }
      await once(deps, { request, body: {}, set: { headers: {} } }, async ({ claim }) => {
        made.push(String(claim?.actor))
        await world.store.writer.createAccount(
          { id: `acc_${actor}`, name: actor, kind: 'prepaid', createdAtMs: 0 },
          { audit: { atMs: 0, actor, action: 'a.b', subject: 'x', details: {} }, claim },
        )
      })
    }
    expect(made).toEqual(['key:mkey_1', 'key:mkey_2'])
  })
})
