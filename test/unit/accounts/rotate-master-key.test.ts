import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createOwnCredentials, rotateMasterKey } from '../../../src/accounts/index.ts'
import { systemRandom } from '../../../src/lib/index.ts'
import { SYSTEM } from '../../../src/store/index.ts'
import { createVault, type MasterKeys, openMasterKey, type Vault } from '../../../src/vault/index.ts'
import { fundedAccount, type StoreKit, storeKit } from '../store/store-kit.ts'

let kit: StoreKit
beforeEach(async () => {
  kit = await storeKit()
  await fundedAccount(kit.store)
})
afterEach(() => kit.end())

/** A life of the process: what it reads of the folder at its start. */
function life(outdated: string[] = []) {
  const random = systemRandom()
  const keys = openMasterKey(kit.folder, random)
  const vault = createVault(keys, random)
  const { reader, writer } = kit.store
  const onChange = (accountId: string) => void outdated.push(accountId)
  const others = async (): Promise<void> =>
    void outdated.push(`others with key ${keys.newest}, and ${keys.keyOf(1) && 1}`)
  const all = { keys, vault, reader, writer, clock: kit.clock, random, others, onChange }
  return { ...all, own: createOwnCredentials(all), rotate: () => rotateMasterKey(all, SYSTEM) }
}

const bring = (own: ReturnType<typeof life>['own'], name: string) =>
  own.create(
    { accountId: 'acc_1', provider: 'acme', name, baseUrl: null, secret: `secret of ${name}`, enabled: true },
    SYSTEM,
  )

/** Every secret on disk, as a new life opens it. */
async function secrets(): Promise<string[]> {
  const { vault, reader } = life()
  const rows = await reader.ownCredentials('acc_1', { limit: 1000, after: null })
  return rows.map(({ id, accountId, sealed }) => vault.open(sealed, { rowId: id, accountId })).sort()
}

const NAMES = Array.from({ length: 12 }, (_, at) => `c${at}`)
const SECRETS = NAMES.map((name) => `secret of ${name}`).sort()

async function withCredentials() {
  const made = life()
  for (const name of NAMES) await bring(made.own, name)
  return made
}

describe('a rotation', () => {
  test('seals everything anew, drops the old key, and says so in the audit; versions stay', async () => {
    await withCredentials()
    const outdated: string[] = []
    const { keys, rotate, reader } = life(outdated)
    expect(await rotate()).toEqual({ resealed: 12, unreadable: 0 })
    expect([keys.newest, keys.keyOf(1)]).toEqual([2, undefined])
    expect(outdated).toEqual(['acc_1', 'others with key 2, and 1'])
    expect(await secrets()).toEqual(SECRETS)
    const rows = await reader.ownCredentials('acc_1', { limit: 1000, after: null })
    expect(rows.every(({ version }) => version === 1)).toBe(true)
    const audit = await reader.audit({ subject: null, action: 'master_key.rotate' }, { limit: 10, after: null })
    expect(audit).toMatchObject([{ subject: 'master key 2' }])
    expect(JSON.stringify(audit)).not.toContain('secret of')
    expect(await rotate()).toEqual({ resealed: 12, unreadable: 0 })
    expect(await secrets()).toEqual(SECRETS)
  })

  for (const [when, rows] of [
    ['before anything was sealed anew', 0],
    ['in the middle', 5],
    ['when all was sealed anew, before the old key was dropped', 12],
  ] as const) {
    test(`that is killed ${when} loses nothing, and the next one goes on with its key`, async () => {
      await withCredentials()
      await killedAfter(life(), rows)
      await kit.reopen()
      expect(await secrets()).toEqual(SECRETS)
      const next = life()
      await bring(next.own, 'meanwhile')
      expect(await next.rotate()).toEqual({ resealed: 12 - rows, unreadable: 0 })
      expect([next.keys.newest, next.keys.keyOf(1), next.keys.keyOf(3)]).toEqual([2, undefined, undefined])
      expect(await secrets()).toEqual([...SECRETS, 'secret of meanwhile'].sort())
    })
  }

  test('takes along what is written while it goes on', async () => {
    const { own, rotate } = await withCredentials()
    const rotating = rotate()
    const made = await Promise.all(['x', 'y'].map((name) => bring(own, name)))
    await own.update({ accountId: 'acc_1', id: made[0]?.id ?? '', version: null }, { secret: 'secret of z' }, SYSTEM)
    await rotating
    expect(await secrets()).toEqual([...SECRETS, 'secret of y', 'secret of z'].sort())
  })

  test('leaves what no key opens as it is, and counts it', async () => {
    const { own, rotate } = await withCredentials()
    const raw = kit.raw()
    raw.run("UPDATE own_credential SET sealed = 'AQID' WHERE name = 'c3'")
    raw.close()
    expect(await own.countUnreadable()).toBe(1)
    expect(await rotate()).toEqual({ resealed: 11, unreadable: 1 })
  })

  test('goes on over all pages, however many there are', async () => {
    const { own } = life()
    await Promise.all(Array.from({ length: 501 }, (_, at) => bring(own, `c${at}`)))
    expect(await own.countUnreadable()).toBe(0)
    const { keys, rotate } = life()
    expect(await rotate()).toEqual({ resealed: 501, unreadable: 0 })
    expect(keys.keyOf(1)).toBeUndefined()
  })
})

/** What a rotation does, up to so many rows. */
async function killedAfter(
  { keys, vault, reader, writer }: { keys: MasterKeys; vault: Vault } & Pick<StoreKit['store'], 'reader' | 'writer'>,
  count: number,
): Promise<void> {
  keys.begin()
  const rows = await reader.ownCredentials('acc_1', { limit: count + 1, after: null })
  const resealed = rows.slice(0, count).map(({ id, accountId, sealed }) => {
    const owner = { rowId: id, accountId }
    return { id, accountId, from: sealed, to: vault.seal(vault.open(sealed, owner), owner) }
  })
  expect(await writer.resealOwnCredentials(resealed)).toBe(count)
}
