import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { money } from '../../../src/domain/index.ts'
import { proveLedger } from '../../../src/jobs/index.ts'
import type { PostingRow, PostingsCursor } from '../../../src/store/index.ts'
import { backupOffline, FolderLocked, verifyFile } from '../../../src/store/index.ts'
import { balanceOf, type StoreKit, settled, tempFolder, topUp, until, usedKit, voided } from './store-kit.ts'

let kit: StoreKit
beforeEach(async () => {
  kit = await usedKit()
})
afterEach(() => kit.end())

const outside = tempFolder()
afterAll(() => rmSync(outside, { recursive: true, force: true }))
let copies = 0
const copyName = () => join(outside, `copy-${copies++}`)

/** Proves what is new, and marks it. */
async function prove() {
  const { reader, writer } = kit.store
  const step = await reader.proveNext()
  if (step.faults.length === 0) await writer.markProven(step)
  return step
}

describe('the proof of what is new', () => {
  test('adds up what followed, once, and remembers it over a restart', async () => {
    expect(await prove()).toEqual({
      from: { entrySeq: 0, settlementSeq: 0 },
      to: { entrySeq: 1, settlementSeq: 2 },
      sums: [['acc_1', '999400']],
      faults: [],
      isAtEnd: true,
    })
    await kit.store.writer.settle(settled('req_3'))
    await kit.reopen() // closes the open hold: a void
    expect(await prove()).toMatchObject({
      from: { entrySeq: 1, settlementSeq: 2 },
      to: { entrySeq: 1, settlementSeq: 4 },
      sums: [['acc_1', '-300']],
      faults: [],
    })
    expect(await prove()).toMatchObject({ sums: [], faults: [], isAtEnd: true })
  })

  test('of two that read the same, one is told', async () => {
    const { reader, writer } = kit.store
    const [one, other] = await Promise.all([reader.proveNext(), reader.proveNext()])
    expect([await writer.markProven(one), await writer.markProven(other)]).toEqual([true, false])
    expect(await prove()).toMatchObject({ faults: [] })
  })

  test('finds a balance of an account that has had nothing since', async () => {
    await prove()
    const db = kit.raw()
    db.run('UPDATE account SET balance = balance + 1')
    db.close()
    expect((await prove()).faults).toEqual(['account acc_1: its balance is 999401, its entries sum to 999400'])
  })

  test('finds a new row that does not sum to zero, and stays before it', async () => {
    await prove()
    await kit.store.writer.settle(settled('req_3'))
    const db = kit.raw()
    db.run('PRAGMA ignore_check_constraints = ON')
    db.run('DROP TRIGGER settlement_no_update')
    db.run('UPDATE settlement SET cost = cost + 1 WHERE seq = 3')
    db.close()
    for (let time = 0; time < 2; time++)
      expect((await prove()).faults).toEqual(['settlement 3: its postings do not sum to zero'])
  })

  test('finds that proven rows are gone', async () => {
    await prove()
    const db = kit.raw()
    db.run('PRAGMA foreign_keys = OFF')
    db.run('DROP TRIGGER settlement_no_delete')
    db.run('DELETE FROM settlement WHERE seq = 2')
    db.close()
    expect((await prove()).faults).toEqual(['settlement 2: it was there, and the last one is 1 now'])
  })

  test('goes in steps, and the job takes all of them; what does not add up is logged', async () => {
    const ids = Array.from({ length: 21_000 }, (_, at) => `req_many_${at}`)
    for (let at = 0; at < ids.length; at += 5000)
      await Promise.all(ids.slice(at, at + 5000).map((id) => kit.store.writer.settle(settled(id, 1))))
    expect(await kit.store.reader.proveNext()).toMatchObject({ isAtEnd: false, to: { settlementSeq: 20_000 } })
    const lines: string[] = []
    const log = { warn: (event: string) => void lines.push(event), error: (event: string) => void lines.push(event) }
    const { reader, writer } = kit.store
    const stop = proveLedger({ clock: kit.clock, log, reader, writer })
    await until(
      () => reader.proveNext(),
      ({ from, isAtEnd }) => isAtEnd && from.settlementSeq === 21_002,
    )
    const db = kit.raw()
    db.run('UPDATE account SET balance = balance - 1')
    db.close()
    kit.clock.advance(3_600_000)
    await until(
      async () => lines,
      (found) => found.length > 0,
    )
    stop()
    expect(lines).toEqual(['ledger_not_clean'])
  })
})

describe('postings', () => {
  async function all(limit: number): Promise<PostingRow[]> {
    const rows: PostingRow[] = []
    let after: PostingsCursor | null = null
    do {
      const page = await kit.store.reader.postings({ limit, after })
      rows.push(...page.rows)
      after = page.next
    } while (after !== null)
    return rows
  }

  test('every side of every row, in pages of any size; each row sums to zero, the account to its balance', async () => {
    const { writer } = kit.store
    await writer.enter(topUp(7))
    await writer.settle(voided('req_3'))
    await writer.settle({ ...settled('req_4', 20), cost: money(50), overrun: money(30) })
    const rows = await all(1000)
    expect(await all(1)).toEqual(rows)
    expect(await all(2)).toEqual(rows)
    const sums = new Map<string, number>()
    for (const { source, seq, nano } of rows) sums.set(`${source} ${seq}`, (sums.get(`${source} ${seq}`) ?? 0) + nano)
    expect([...sums.keys()]).toEqual(['entry 1', 'entry 2', 'settlement 1', 'settlement 2', 'settlement 4'])
    expect([...sums.values()].every((sum) => sum === 0)).toBe(true)
    const ofAccount = rows.filter(({ side }) => side === 'account').reduce((sum, { nano }) => sum + nano, 0)
    expect(ofAccount).toBe(await balanceOf(kit.store))
    expect(rows.filter(({ side }) => side === 'overrun_loss').map(({ nano }) => nano)).toEqual([-30])
  })

  test('what comes after the first page is left out', async () => {
    const first = await kit.store.reader.postings({ limit: 1, after: null })
    await kit.store.writer.settle(settled('req_late'))
    await kit.store.writer.enter(topUp(7))
    const rest = await kit.store.reader.postings({ limit: 1000, after: first.next })
    expect(new Set(rest.rows.map(({ source, seq }) => `${source} ${seq}`))).toEqual(
      new Set(['settlement 1', 'settlement 2']),
    )
  })
})

describe('a backup', () => {
  test('is whole and sound, for its owner alone, while settlements go on', async () => {
    const { writer, reader } = kit.store
    const going = Array.from({ length: 3000 }, (_, at) => writer.settle(settled(`req_going_${at}`, 1)))
    const report = await reader.backup('first')
    const into = join(kit.folder, 'backups/first')
    expect(report.folder).toBe(into)
    expect(report.verify).toMatchObject({ clean: true, faults: [] })
    await Promise.all(going)
    expect(readdirSync(into).sort()).toEqual(['ledger.db', 'records.db'])
    expect(statSync(join(into, 'ledger.db')).mode & 0o777).toBe(0o600)
    expect(await verifyFile(join(into, 'ledger.db'))).toEqual(report.verify)
    expect(report.verify.settlements).toBeGreaterThanOrEqual(2)
  })

  test('never takes a name that is taken, and leaves nothing behind', async () => {
    const backups = join(kit.folder, 'backups')
    const into = join(backups, 'taken')
    mkdirSync(into, { recursive: true })
    await expect(kit.store.reader.backup('taken')).rejects.toThrow(`The backup was not made: ${into} is there already.`)
    expect([readdirSync(backups), readdirSync(into)]).toEqual([['taken'], []])
  })

  test('that was broken off leaves nothing: the next start takes it away', async () => {
    await Promise.all([kit.store.reader.backup('one'), kit.store.reader.backup('two')])
    const left = join(kit.folder, 'backups', '.older.unfinished')
    mkdirSync(left)
    await Bun.write(join(left, 'records.db'), 'half of it')
    await kit.reopen()
    expect(readdirSync(join(kit.folder, 'backups')).sort()).toEqual(['one', 'two'])
  })

  test('without records, which somebody has deleted, has none either', async () => {
    await kit.store.close()
    rmSync(join(kit.folder, 'records.db'))
    const into = copyName()
    expect(await backupOffline(kit.folder, into)).toMatchObject({ recordsBytes: 0, verify: { clean: true } })
    expect(readdirSync(into)).toEqual(['ledger.db'])
    await kit.reopen()
  })

  test('without a server: the folder as it is, its holds still open; none while one runs', async () => {
    await expect(backupOffline(kit.folder, copyName())).rejects.toBeInstanceOf(FolderLocked)
    await kit.store.close()
    const { verify } = await backupOffline(kit.folder, copyName())
    expect(verify).toMatchObject({ clean: true, openHolds: 1, settlements: 2 })
    await kit.reopen()
  })
})
