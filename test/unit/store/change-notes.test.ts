import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type ChangeNote, type Claim, changeNote } from '../../../src/store/index.ts'
import { balanceOf, codeOf, fundedAccount, type StoreKit, storeKit, topUp, until } from './store-kit.ts'

let kit: StoreKit
beforeEach(async () => {
  kit = await storeKit()
  await fundedAccount(kit.store, 0)
})
afterEach(() => kit.end())

const ALL = { subject: null, action: null }
const PAGE = { limit: 100, after: null }
const auditOf = async () => (await kit.store.reader.audit(ALL, PAGE)).map(({ subject }) => subject).reverse()

const claimOf = (idempotencyKey: string, more: Partial<Claim> = {}): Claim => ({
  actor: 'local:0',
  idempotencyKey,
  requestHash: `hash of ${idempotencyKey}`,
  sealed: null,
  atMs: 5,
  ...more,
})
const noteOf = (subject: string, claim: Claim | null = null): ChangeNote =>
  changeNote({ actor: 'local:0', claim }, { atMs: 5, action: 'credits.top_up', subject, details: { amount_nano: 1 } })

/** What of one change is on disk: the change itself, its row of the audit, its answer. */
async function onDisk(subject: string) {
  const { reads, reader } = kit.store
  const rows = await reader.audit({ subject, action: null }, PAGE)
  const kept = await reads.keptAnswer('local:0', subject)
  const entries = await reader.entries('acc_1', PAGE)
  return { entries: entries.length, audit: rows.length, answers: kept === null ? 0 : 1 }
}
const ALL_OF_IT = { entries: 1, audit: 1, answers: 1 }
const NOTHING = { entries: 0, audit: 0, answers: 0 }

describe('a change and its note', () => {
  test('are read back as they were written', async () => {
    const { writer, reader, reads } = kit.store
    const entry = await writer.enter(topUp(7), noteOf('one', claimOf('one', { sealed: 'c2VhbGVk' })))
    expect(await reader.audit(ALL, PAGE)).toEqual([
      { seq: 1, atMs: 5, actor: 'local:0', action: 'credits.top_up', subject: 'one', details: { amount_nano: 1 } },
    ])
    expect(await reads.keptAnswer('local:0', 'one')).toEqual({
      requestHash: 'hash of one',
      answer: { ...entry },
      sealed: 'c2VhbGVk',
    })
    expect(await reads.keptAnswer('local:1', 'one')).toBeNull()
  })

  test('are both undone when the note is refused, and nothing else of the batch is', async () => {
    const raw = kit.raw()
    raw.run(`CREATE TRIGGER no_note BEFORE INSERT ON audit WHEN new.subject = 'bad'
      BEGIN SELECT RAISE(ABORT, 'refused by a test'); END`)
    raw.close()
    const { writer } = kit.store
    const ends = [
      writer.enter(topUp(1), noteOf('good')),
      writer.enter(topUp(10), noteOf('bad', claimOf('bad'))),
      writer.createAccount({ id: 'acc_2', name: 'two', kind: 'prepaid', createdAtMs: 1 }, noteOf('bad')),
      writer.enter(topUp(100), noteOf('better')),
    ]
    expect(await Promise.all(ends.map(codeOf))).toEqual(['no error', 'invalid_request', 'invalid_request', 'no error'])
    expect(await balanceOf(kit.store)).toBe(101)
    expect(await auditOf()).toEqual(['good', 'better'])
    expect(await kit.store.reads.account('acc_2')).toBeNull()
    expect(await kit.store.reads.keptAnswer('local:0', 'bad')).toBeNull()
    expect(await kit.store.reader.verify()).toMatchObject({ clean: true })
  })

  test('a change that is refused leaves no note', async () => {
    const { writer } = kit.store
    const ends = [
      writer.createAccount({ id: 'acc_2', name: 'acme', kind: 'prepaid', createdAtMs: 1 }, noteOf('taken')),
      writer.revokeKey('key_none', noteOf('none')),
      writer.enter(topUp(1, 'acc_none'), noteOf('none')),
      writer.enter(topUp(-1), noteOf('negative')),
      writer.revokeManagementKey({ id: 'mkey_none', atMs: 1, version: null }, noteOf('none')),
    ]
    expect(await Promise.all(ends.map(codeOf))).toEqual([
      'conflict',
      'not_found',
      'not_found',
      'invalid_request',
      'not_found',
    ])
    expect(await auditOf()).toEqual([])
  })

  test('a key that is claimed already: the change is not made', async () => {
    const { writer } = kit.store
    const ends = [
      writer.enter(topUp(1), noteOf('first', claimOf('same'))),
      writer.enter(topUp(1), noteOf('second', claimOf('same'))),
      writer.enter(topUp(1), noteOf('third', claimOf('same', { actor: 'key:mkey_1' }))),
    ]
    expect(await Promise.all(ends.map(codeOf))).toEqual(['no error', 'conflict', 'no error'])
    expect(await auditOf()).toEqual(['first', 'third'])
    expect(await balanceOf(kit.store)).toBe(2)
  })
})

describe('a crash leaves all of a change or nothing of it', () => {
  test('a commit that fails', async () => {
    await kit.faults.set({ failCommits: 1 })
    expect(await codeOf(kit.store.writer.enter(topUp(1), noteOf('x', claimOf('x'))))).toBe('storage_unavailable')
    expect(await onDisk('x')).toEqual(NOTHING)
  })

  test('a full disk', async () => {
    const raw = kit.raw()
    const pages = raw.query<{ page_count: number }, []>('PRAGMA page_count').get()?.page_count ?? 0
    raw.close()
    await kit.faults.set({ pagesMax: pages })
    const details = { long: 'x'.repeat(100_000) }
    const note = changeNote(
      { actor: 'local:0', claim: claimOf('x') },
      { atMs: 5, action: 'a.b', subject: 'x', details },
    )
    expect(await codeOf(kit.store.writer.enter(topUp(1), note))).toBe('storage_unavailable')
    expect(await onDisk('x')).toEqual(NOTHING)
    await kit.faults.set({ pagesMax: null })
    kit.clock.advance(1000)
    await until(
      async () => kit.store.writer.accepting(),
      (accepting) => accepting,
    )
    expect(await codeOf(kit.store.writer.enter(topUp(1), note))).toBe('no error')
    expect(await onDisk('x')).toEqual(ALL_OF_IT)
  })

  test('a commit in doubt that had reached the disk', async () => {
    await kit.faults.set({ failCommits: 1, commitCode: 'SQLITE_IOERR_WRITE', failAfterCommit: true })
    expect(await codeOf(kit.store.writer.enter(topUp(1), noteOf('x', claimOf('x'))))).toBe('no error')
    expect(await onDisk('x')).toEqual(ALL_OF_IT)
  })

  test.each([
    ['before_commit', NOTHING],
    ['after_commit', ALL_OF_IT],
  ] as const)('the writer ends %s', async (die, expected) => {
    await kit.faults.set({ die })
    expect(await codeOf(kit.store.writer.enter(topUp(1), noteOf('x', claimOf('x'))))).toBe('storage_unavailable')
    await kit.reopen()
    expect(await onDisk('x')).toEqual(expected)
    expect(await kit.store.reader.verify()).toMatchObject({ clean: true })
  })
})

describe('kept answers', () => {
  test('are forgotten by age', async () => {
    const { writer, reads } = kit.store
    for (const atMs of [1, 2, 3]) await writer.enter(topUp(1), noteOf('x', claimOf(`at ${atMs}`, { atMs })))
    expect(await writer.forgetAnswers(3)).toBe(2)
    expect(await writer.forgetAnswers(3)).toBe(0)
    const left = await Promise.all([1, 2, 3].map((atMs) => reads.keptAnswer('local:0', `at ${atMs}`)))
    expect(left.map((kept) => kept !== null)).toEqual([false, false, true])
    expect(await auditOf()).toEqual(['x', 'x', 'x'])
  })
})

describe('the audit', () => {
  test('is filtered, and paged newest first', async () => {
    const { writer, reader } = kit.store
    for (const subject of ['a', 'b', 'a', 'a']) await writer.enter(topUp(1), noteOf(subject))
    await writer.createAccount(
      { id: 'acc_2', name: 'two', kind: 'prepaid', createdAtMs: 1 },
      changeNote({ actor: 'key:mkey_1', claim: null }, { atMs: 6, action: 'account.create', subject: 'a' }),
    )
    const seqs = async (filter: Partial<typeof ALL> & object, after: string | null = null, limit = 10) =>
      (await reader.audit({ ...ALL, ...filter }, { limit, after })).map(({ seq }) => seq)
    expect(await seqs({})).toEqual([5, 4, 3, 2, 1])
    expect(await reader.audit({ subject: 'a', action: null }, { limit: 2, after: null })).toHaveLength(2)
    expect(
      (await reader.audit({ subject: 'a', action: null }, { limit: 2, after: '4' })).map(({ seq }) => seq),
    ).toEqual([3, 1])
    expect((await reader.audit({ subject: 'a', action: 'account.create' }, PAGE)).map(({ actor }) => actor)).toEqual([
      'key:mkey_1',
    ])
    expect(await reader.audit({ subject: null, action: 'none' }, PAGE)).toEqual([])
    expect(await seqs({}, '1')).toEqual([])
  })

  test('is append-only', () => {
    const raw = kit.raw()
    raw.run(`INSERT INTO audit (at_ms, actor, action, subject, details) VALUES (1, 'a', 'b', 'c', '{}')`)
    expect(() => raw.run(`UPDATE audit SET actor = 'x'`)).toThrow('the audit is append-only')
    expect(() => raw.run('DELETE FROM audit')).toThrow('the audit is append-only')
    raw.close()
  })
})

describe('management keys', () => {
  const KEY = {
    id: 'mkey_1',
    name: 'ops',
    hash: 'hash-m1',
    prefix: 'ak_abcd',
    scopes: ['read', 'credits'],
    createdAtMs: 3,
    expiresAtMs: null,
  } as const

  test('are found by hash and by id, listed by name, and revoked once', async () => {
    const { writer, reads, reader } = kit.store
    const { hash, ...fields } = KEY
    const made = { ...fields, revokedAtMs: null, version: 1 }
    expect(await writer.createManagementKey(KEY)).toEqual({ ...made, scopes: ['read', 'credits'] })
    await writer.createManagementKey({ ...KEY, id: 'mkey_0', name: 'zoo', hash: 'hash-m0', expiresAtMs: 9 })
    await writer.createManagementKey({ ...KEY, id: 'mkey_2', name: 'ops', hash: 'hash-m2' })
    expect(await reads.managementKeyByHash(hash)).toEqual({ ...made, scopes: ['read', 'credits'] })
    expect(await reads.managementKeyByHash('hash-none')).toBeNull()
    expect(await reader.managementKey('mkey_0')).toMatchObject({ name: 'zoo', expiresAtMs: 9 })
    expect(await reader.managementKey('mkey_none')).toBeNull()
    const ids = async (after: string | null) => (await reader.managementKeys({ limit: 2, after })).map(({ id }) => id)
    expect(await ids(null)).toEqual(['mkey_1', 'mkey_2'])
    expect(await ids('mkey_2')).toEqual(['mkey_0'])

    expect(await codeOf(writer.createManagementKey({ ...KEY, id: 'mkey_3' }))).toBe('conflict')
    const outdated = await writer.revokeManagementKey({ id: 'mkey_1', atMs: 5, version: 2 }).catch((error) => error)
    expect(outdated).toMatchObject({ code: 'precondition_failed', details: { headers: { etag: '"1"' } } })
    const revoked = { ...made, revokedAtMs: 6, version: 2 }
    expect(await writer.revokeManagementKey({ id: 'mkey_1', atMs: 6, version: 1 })).toMatchObject(revoked)
    expect(await writer.revokeManagementKey({ id: 'mkey_1', atMs: 7, version: null })).toMatchObject(revoked)
    expect(await reads.managementKeyByHash(hash)).toMatchObject({ revokedAtMs: 6 })
  })
})
