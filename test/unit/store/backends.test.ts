import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type FoundCauses, money, NO_CAUSES } from '../../../src/domain/index.ts'
import { changeNote, type NewOwnCredential, type UsageAnswer } from '../../../src/store/index.ts'
import { codeOf, fundedAccount, OFFER, type StoreKit, settled, storeKit, voided } from './store-kit.ts'

let kit: StoreKit
beforeEach(async () => {
  kit = await storeKit()
  await fundedAccount(kit.store)
})
afterEach(() => kit.end())

const PAGE = { limit: 100, after: null }

describe('quarantine rows', () => {
  const operator = { by: 'local:7', reason: 'a flood', sinceMs: 5, untilMs: 9 }

  const row = (backend: string, more: object) => ({ ...NO_CAUSES, backend, ...more })
  const wait = { sinceMs: 5, untilMs: 20, backoffMs: 15, evidence: 'seen' }
  const found: FoundCauses = {
    backend: 'b',
    failures: { ...wait, count: 7, streak: 5, lastStatus: 502 },
    throttle: { ...wait, source: 'retry_after' },
    credentials: [
      { ...wait, credential: 'main', mark: 'abcd', kind: 'denied', source: 'back_off', lastStatus: 401 },
      { ...wait, credential: 'spare', mark: 'ef01', kind: 'throttled', source: 'retry_after', lastStatus: 429 },
    ],
  }
  const nothing: FoundCauses = { backend: 'b', failures: null, throttle: null, credentials: [] }

  test('are set, replaced and cleared; the version counts on; a restart changes nothing', async () => {
    const { writer, reader } = kit.store
    expect(await writer.setOperatorCause({ backend: 'b', operator })).toEqual(row('b', { operator, version: 1 }))
    const endless = { ...operator, untilMs: null }
    await writer.setOperatorCause({ backend: 'b', operator: endless })
    await writer.setOperatorCause({ backend: 'a', operator })
    const rows = [row('a', { operator, version: 1 }), row('b', { operator: endless, version: 2 })]
    expect(await reader.quarantine()).toEqual(rows)
    const store = await kit.reopen()
    expect(await store.reader.quarantine()).toEqual(rows)
    expect(await store.writer.clearQuarantine('b')).toEqual(row('b', { version: 3 }))
    expect((await store.reader.quarantine())[1]).toEqual(row('b', { version: 3 }))
  })

  test('have what was found out beside what an operator says: neither touches the other', async () => {
    const { writer } = kit.store
    writer.foundCauses(found)
    expect(await writer.setOperatorCause({ backend: 'b', operator })).toMatchObject({ ...found, operator })
    const store = await kit.reopen()
    expect(await store.reader.quarantine()).toMatchObject([{ ...found, operator }])
    store.writer.foundCauses({ ...nothing, throttle: found.throttle })
    store.writer.foundCauses({ ...nothing, failures: found.failures }) // the newest of a batch
    await store.writer.setOperatorCause({ backend: 'z', operator })
    expect((await store.reader.quarantine())[0]).toMatchObject({ ...nothing, failures: found.failures, operator })
    expect(await store.writer.clearQuarantine('b')).toMatchObject({ ...nothing, operator: null })
    expect((await store.reader.quarantine())[0]).toMatchObject({ ...nothing, operator: null })
  })

  test('wait for a disk that fails, the newest of each backend; nobody waits for them', async () => {
    const { writer } = kit.store
    await kit.faults.set({ failCommits: 1 })
    writer.foundCauses({ ...found, backend: 'a' })
    writer.foundCauses({ ...found, failures: null })
    const command = writer.setOperatorCause({ backend: 'z', operator }) // of the same batch
    expect(await codeOf(command)).toBe('storage_unavailable')
    writer.foundCauses(found)
    const store = await kit.reopen()
    expect(await store.reader.quarantine()).toMatchObject([{ ...found, backend: 'a' }, found])
  })

  test('that end before they begin are refused, and nothing of them stays', async () => {
    const { writer, reader } = kit.store
    const note = changeNote({ actor: 'local:7', claim: null }, { atMs: 5, action: 'quarantine.set', subject: 'b' })
    const wrong = writer.setOperatorCause({ backend: 'b', operator: { ...operator, untilMs: 5 } }, note)
    expect(await codeOf(wrong)).toBe('invalid_request')
    expect(await reader.quarantine()).toEqual([])
    expect(await reader.audit({ subject: null, action: null }, PAGE)).toEqual([])
  })
})

describe('own credentials', () => {
  const wish = (id: string, more: Partial<NewOwnCredential> = {}): NewOwnCredential => ({
    id,
    accountId: 'acc_1',
    provider: 'acme',
    baseUrl: null,
    name: id,
    sealed: 'c2VhbGVk',
    hint: 'wxyz',
    enabled: true,
    createdAtMs: 5,
    ...more,
  })
  const which = (id: string, version: number | null = null) => ({ id, accountId: 'acc_1', version, atMs: 8 })

  test('are made, read in order and in pages, and found by their account alone', async () => {
    const { writer, reader } = kit.store
    await writer.createAccount({ id: 'acc_2', name: 'b', kind: 'prepaid', createdAtMs: 1 })
    const made = await writer.createOwnCredential(wish('cred_2'))
    const { sealed, ...rest } = wish('cred_2')
    expect(made).toEqual({ ...rest, fault: null, version: 1, updatedAtMs: 5 })
    await writer.createOwnCredential(wish('cred_1', { provider: 'zeta' }))
    await writer.createOwnCredential(wish('cred_3', { name: 'a' }))
    await writer.createOwnCredential(wish('cred_4', { accountId: 'acc_2' }))
    const ids = async (accountId: string | null, after: string | null = null, limit = 100) =>
      (await reader.ownCredentials(accountId, { limit, after })).map(({ id }) => id)
    expect(await ids('acc_1')).toEqual(['cred_3', 'cred_2', 'cred_1'])
    expect(await ids(null)).toEqual(['cred_3', 'cred_2', 'cred_1', 'cred_4'])
    expect(await ids('acc_1', 'cred_3', 1)).toEqual(['cred_2'])
    expect(await reader.ownCredential('acc_1', 'cred_2')).toEqual({ ...made, sealed })
    expect(await reader.ownCredential('acc_2', 'cred_2')).toBeNull()
    expect(await reader.ownCredential('acc_1', 'cred_9')).toBeNull()
  })

  test('change what is named alone, once for each version', async () => {
    const { writer, reader } = kit.store
    const made = await writer.createOwnCredential(wish('cred_1'))
    expect(await writer.updateOwnCredential({ ...which('cred_1', 1), enabled: false })).toEqual({
      ...made,
      enabled: false,
      version: 2,
      updatedAtMs: 8,
    })
    const twice = [
      writer.updateOwnCredential({ ...which('cred_1', 2), name: 'one' }),
      writer.updateOwnCredential({ ...which('cred_1', 2), name: 'two' }),
    ]
    expect(await Promise.all(twice.map(codeOf))).toEqual(['no error', 'precondition_failed'])
    const secret = { sealed: 'bmV3', hint: 'new!' }
    await writer.updateOwnCredential({ ...which('cred_1'), secret })
    expect(await reader.ownCredential('acc_1', 'cred_1')).toMatchObject({
      ...secret,
      name: 'one',
      enabled: false,
      version: 4,
    })
  })

  test('lose their fault with their secret, and keep it otherwise', async () => {
    const { writer, reader } = kit.store
    await writer.createOwnCredential(wish('cred_1'))
    const raw = kit.raw()
    raw.run("UPDATE own_credential SET fault_cause = 'denied', fault_reason = 'no', fault_since_ms = 6")
    raw.close()
    const fault = { cause: 'denied', reason: 'no', sinceMs: 6, untilMs: null }
    expect(await writer.updateOwnCredential({ ...which('cred_1'), name: 'b' })).toMatchObject({ fault })
    expect((await reader.ownCredential('acc_1', 'cred_1'))?.fault).toEqual(fault)
    await writer.updateOwnCredential({ ...which('cred_1'), secret: { sealed: 'bmV3', hint: '' } })
    expect((await reader.ownCredential('acc_1', 'cred_1'))?.fault).toBeNull()
  })

  test('take a fault as long as they have the secret that it was said of, and keep their version', async () => {
    const { writer, reader, reads } = kit.store
    await writer.createOwnCredential(wish('cred_2', { createdAtMs: 4 }))
    await writer.createOwnCredential(wish('cred_1'))
    const fault = { cause: 'denied', reason: 'no', sinceMs: 6, untilMs: 9 }
    writer.foundFault({ id: 'cred_1', sealed: 'c2VhbGVk', fault })
    writer.foundFault({ id: 'cred_2', sealed: 'another', fault })
    await writer.updateOwnCredential({ ...which('cred_2'), name: 'b' }) // of the same batch
    expect(await reader.ownCredential('acc_1', 'cred_1')).toMatchObject({ fault, version: 1 })
    const kept = (await reads.account('acc_1'))?.credentials
    expect(kept).toMatchObject([
      { id: 'cred_2', fault: null },
      { id: 'cred_1', fault },
    ])
    writer.foundFault({ id: 'cred_1', sealed: 'c2VhbGVk', fault: null })
    const store = await kit.reopen()
    expect((await store.reader.ownCredential('acc_1', 'cred_1'))?.fault).toBeNull()
  })

  test('are deleted whole; what is not there, another account’s, or of another version is not', async () => {
    const { writer, reader } = kit.store
    await writer.createOwnCredential(wish('cred_1'))
    const foreign = { ...which('cred_1'), accountId: 'acc_2' }
    for (const attempt of [writer.updateOwnCredential({ ...foreign, name: 'x' }), writer.deleteOwnCredential(foreign)])
      expect(await codeOf(attempt)).toBe('not_found')
    expect(await codeOf(writer.deleteOwnCredential(which('cred_1', 2)))).toBe('precondition_failed')
    expect(await writer.deleteOwnCredential(which('cred_1', 1))).toMatchObject({ id: 'cred_1', name: 'cred_1' })
    expect(await codeOf(writer.deleteOwnCredential(which('cred_1')))).toBe('not_found')
    expect(await reader.ownCredentials(null, PAGE)).toEqual([])
  })

  test('have one name per account and provider, and an account that exists', async () => {
    const { writer } = kit.store
    await writer.createOwnCredential(wish('cred_1', { name: 'main' }))
    await writer.createOwnCredential(wish('cred_2', { name: 'main', provider: 'zeta' }))
    await writer.createOwnCredential(wish('cred_3', { name: 'spare' }))
    expect(await codeOf(writer.createOwnCredential(wish('cred_4', { name: 'main' })))).toBe('conflict')
    expect(await codeOf(writer.updateOwnCredential({ ...which('cred_3'), name: 'main' }))).toBe('conflict')
    expect(await codeOf(writer.createOwnCredential(wish('cred_5', { accountId: 'acc_9' })))).toBe('not_found')
  })
})

describe('usage', () => {
  const query = { by: [], sinceMs: 0, untilMs: 100, accountId: null, keyId: null } as const
  const rows = (answer: UsageAnswer) => (answer.kind === 'rows' ? answer.rows : [])

  test('of nothing is no row; of one time, its settlements alone', async () => {
    const { writer, reader } = kit.store
    expect(await reader.usage(query)).toEqual({ kind: 'rows', rows: [] })
    await writer.settle(settled('req_1'))
    await writer.settle(voided('req_2'))
    await writer.settle({ ...settled('req_3'), endedAtMs: 100 })
    expect(rows(await reader.usage(query))).toMatchObject([
      {
        keys: [],
        accountName: null,
        keyName: null,
        requests: 2n,
        voided: 1n,
        units: { input: 100n, cachedInput: 0n, cacheWrite: 0n, output: 100n, reasoning: 0n },
        cost: 300n,
        charged: 300n,
        overrun: 0n,
        expense: 150n,
      },
    ])
    expect(rows(await reader.usage({ ...query, untilMs: 101 }))).toMatchObject([{ requests: 3n }])
    expect(rows(await reader.usage({ ...query, sinceMs: 100, untilMs: 101 }))).toMatchObject([{ requests: 1n }])
    expect(await reader.usage({ ...query, accountId: 'acc_9' })).toEqual({ kind: 'rows', rows: [] })
  })

  test('keeps the names of who paid, and takes a model’s slashes for its own', async () => {
    const { writer, reader } = kit.store
    const covered = { ...OFFER, offer: 'acme/openai/gpt-x', backend: 'acme' }
    await writer.settle({ ...settled('req_1'), covered })
    await writer.settle(voided('req_2'))
    expect(rows(await reader.usage({ ...query, by: ['model', 'account', 'key', 'day'] }))).toMatchObject([
      { keys: ['openai/gpt-x', 'acc_1', 'key_1', '1970-01-01'], accountName: 'acme', keyName: 'first' },
      { keys: [null, 'acc_1', 'key_1', '1970-01-01'], voided: 1n },
    ])
  })

  test('is exact beyond what a number carries, over more settlements than one page', async () => {
    const { writer, reader } = kit.store
    const most = money(Number.MAX_SAFE_INTEGER)
    const row = { ...settled('req'), cost: most, charged: money(0), overrun: most }
    const ids = Array.from({ length: 2500 }, (_, at) => `req_${at}`)
    await Promise.all(ids.map((requestId) => writer.settle({ ...row, requestId })))
    expect(rows(await reader.usage(query))).toMatchObject([{ requests: 2500n, cost: 2500n * BigInt(most) }])
  })

  test('says so when there are more rows than anybody reads', async () => {
    const { writer, reader } = kit.store
    const ids = Array.from({ length: 10_001 }, (_, at) => at)
    const endedAtMs = (day: number) => day * 86_400_000
    for (let from = 0; from < ids.length; from += 5000)
      await Promise.all(
        ids.slice(from, from + 5000).map((at) => writer.settle({ ...voided(`req_${at}`), endedAtMs: endedAtMs(at) })),
      )
    const all = { ...query, untilMs: endedAtMs(20_000) }
    expect(await reader.usage({ ...all, by: ['day'] })).toEqual({ kind: 'too_many' })
    expect(rows(await reader.usage(all))).toMatchObject([{ requests: 10_001n }])
  })
})
