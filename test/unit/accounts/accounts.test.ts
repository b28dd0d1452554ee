import { describe, expect, test } from 'bun:test'
import { createAccounts } from '../../../src/accounts/index.ts'
import { createExpiryClock } from '../../../src/lib/index.ts'
import { hashKey } from '../../../src/vault/index.ts'
import { fakeClock, settleMicrotasks } from '../../support/fake-clock.ts'
import { seededRandom } from '../../support/house.ts'
import { createStoreDouble } from '../../support/store-double.ts'
import { testVault } from '../../support/vault.ts'

function room() {
  const store = createStoreDouble()
  const clock = fakeClock()
  const { reads, writer } = store
  const random = seededRandom()
  const expiries = createExpiryClock(clock, () => {})
  return {
    store,
    clock,
    accounts: createAccounts({ reads, writer, vault: testVault(random), clock, expiries, random, onRead: () => {} }),
  }
}

async function withAccount() {
  const made = room()
  const { id } = await made.accounts.createAccount({ name: 'one', kind: 'prepaid' })
  const wish = { accountId: id, name: 'laptop', models: null }
  return { ...made, id, wish }
}

describe('accounts', () => {
  test('are written, and read from memory from the second time on', async () => {
    const { store, accounts, id } = await withAccount()
    expect(id).toMatch(/^acc_[0-9a-f]{32}$/)
    expect(await accounts.rows.load(id)).toMatchObject({
      account: { id, name: 'one', kind: 'prepaid', disabled: false, version: 1 },
      balance: 0,
    })
    await accounts.rows.load(id)
    expect(store.readGate.begun).toBe(1)
  })

  test('a name is taken once', async () => {
    const { accounts } = await withAccount()
    await expect(accounts.createAccount({ name: 'one', kind: 'unmetered' })).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('keys', () => {
  test('a new one: its secret is told once, its hash is stored', async () => {
    const { store, accounts, id, wish } = await withAccount()
    const { key, secret } = await accounts.createKey({ ...wish, models: ['acme/m'] })
    expect(secret).toMatch(/^sk-ar-v1-[0-9A-Za-z]{43}$/)
    expect(key).toMatchObject({ accountId: id, name: 'laptop', models: ['acme/m'], revoked: false })
    expect(secret.startsWith(key.prefix)).toBe(true)
    expect(JSON.stringify([...store.tables.keys.values()])).not.toContain(secret)
    expect(await accounts.keys.load(hashKey(secret))).toEqual(key)
  })

  test('two are never alike', async () => {
    const { accounts, wish } = await withAccount()
    const [one, other] = [await accounts.createKey(wish), await accounts.createKey(wish)]
    expect(one.secret).not.toBe(other.secret)
    expect(one.key.id).not.toBe(other.key.id)
  })

  test('the demo’s has a fixed secret', async () => {
    const { accounts, wish } = await withAccount()
    expect((await accounts.createKey({ ...wish, secret: 'sk-ar-v1-demo' })).secret).toBe('sk-ar-v1-demo')
    expect((await accounts.keys.load(hashKey('sk-ar-v1-demo')))?.name).toBe('laptop')
  })

  test('one that was refused as unknown is good once it is made', async () => {
    const { accounts, wish } = await withAccount()
    const hash = hashKey('sk-soon')
    expect(await accounts.keys.load(hash)).toBeNull()
    await accounts.createKey({ ...wish, secret: 'sk-soon' })
    expect(await accounts.keys.load(hash)).toMatchObject({ name: 'laptop' })
  })

  test('of an account that does not exist: nothing is made', async () => {
    const { store, accounts } = room()
    await expect(accounts.createKey({ accountId: 'acc_none', name: 'k', models: null })).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(store.tables.keys.size).toBe(0)
  })

  test('a revoked one is never good again', async () => {
    const { accounts, wish } = await withAccount()
    const { key, secret } = await accounts.createKey(wish)
    await accounts.keys.load(hashKey(secret))
    expect(await accounts.revokeKey(key.id)).toMatchObject({ id: key.id, revoked: true })
    expect(await accounts.keys.load(hashKey(secret))).toMatchObject({ revoked: true })
    await expect(accounts.revokeKey('key_none')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a read begun before the revocation cannot bring it back', async () => {
    const { store, accounts, wish } = await withAccount()
    const { key, secret } = await accounts.createKey(wish)
    const hash = hashKey(secret)
    store.readGate.holdBack()
    const reading = accounts.keys.load(hash) // sees the key as it is now: good
    await accounts.revokeKey(key.id)
    store.readGate.release()
    await settleMicrotasks()
    expect(accounts.keys.peek(hash)).toBeUndefined()
    store.readGate.letGo()
    expect(await reading).toMatchObject({ revoked: true })
    expect(accounts.keys.peek(hash)).toMatchObject({ revoked: true })
  })

  test('a revocation that cannot be written changes nothing', async () => {
    const { store, accounts, wish } = await withAccount()
    const { key, secret } = await accounts.createKey(wish)
    store.disk.fail()
    await expect(accounts.revokeKey(key.id)).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(await accounts.keys.load(hashKey(secret))).toMatchObject({ revoked: false })
  })
})
