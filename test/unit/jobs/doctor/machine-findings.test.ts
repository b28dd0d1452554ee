import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GatewayError } from '../../../../src/domain/index.ts'
import { clockFindings } from '../../../../src/jobs/doctor/clock-findings.ts'
import { databaseFindings } from '../../../../src/jobs/doctor/database-findings.ts'
import { descriptorFindings } from '../../../../src/jobs/doctor/descriptor-findings.ts'
import { diskFindings } from '../../../../src/jobs/doctor/disk-findings.ts'
import { folderFindings } from '../../../../src/jobs/doctor/folder-findings.ts'
import { guarded } from '../../../../src/jobs/doctor/guarded.ts'
import { ledgerFindings } from '../../../../src/jobs/doctor/ledger-findings.ts'
import { usageFindings } from '../../../../src/jobs/doctor/usage-findings.ts'
import type { Clock } from '../../../../src/lib/index.ts'
import { systemClock } from '../../../../src/lib/index.ts'
import { fakeClock, settleMicrotasks } from '../../../support/fake-clock.ts'
import { createStoreDouble } from '../../../support/store-double.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../support/temporary-folder.ts'
import { recordOf } from '../../store/store-kit.ts'

let home: TemporaryFolder
let folder: string
beforeEach(() => {
  home = temporaryFolder()
  folder = home.path
})
afterEach(() => home[Symbol.dispose]())

describe('folder', () => {
  const put = (name: string, mode: number): void => {
    writeFileSync(join(folder, name), '')
    chmodSync(join(folder, name), mode)
  }

  test('that is for its owner alone, with a key and a socket that are too', async () => {
    put('master.key', 0o600)
    put('admin.sock', 0o600)
    put('ledger.db', 0o644)
    expect(await folderFindings(folder)).toMatchObject([{ state: 'ok', message: expect.stringContaining('mode 0700') }])
  })

  test('that others may read: with it the databases, and how to close them', async () => {
    chmodSync(folder, 0o750)
    put('ledger.db', 0o644)
    put('records.db', 0o600)
    expect(await folderFindings(folder)).toMatchObject([
      { subject: null, state: 'warn', advice: `Run 'chmod 700 ${folder}'.` },
      { subject: 'ledger.db', state: 'warn', message: 'mode 0644: open to others' },
    ])
  })

  test('whose master key is open fails, whatever the folder’s own mode', async () => {
    put('master.key', 0o640)
    expect(await folderFindings(folder)).toMatchObject([
      { state: 'ok' },
      { subject: 'master.key', state: 'fail', advice: expect.stringContaining('chmod 600') },
    ])
  })

  test('with the keys of the first start in it; one that is not there', async () => {
    put('first-keys.txt', 0o600)
    expect(await folderFindings(folder)).toMatchObject([{ state: 'ok' }, { subject: 'first-keys.txt', state: 'warn' }])
    await expect(folderFindings(join(folder, 'none'))).rejects.toThrow('ENOENT')
  })
})

describe('disk', () => {
  test('room and time, and nothing stays behind', async () => {
    const findings = await diskFindings(folder, systemClock())
    expect(findings).toMatchObject([
      { check: 'disk', subject: 'space', message: expect.stringMatching(/(GB|MB) free$/) },
      { check: 'disk', subject: 'sync', message: expect.stringMatching(/after \d+\.\d ms \(the slowest of 9/) },
    ])
    expect(readdirSync(folder)).toEqual([])
  })

  test.each([
    [19, 'ok'],
    [20, 'warn'],
    [1000, 'fail'],
  ] as const)('a disk that takes %d ms: %s', async (ms, state) => {
    let nowUs = 0
    const clock: Clock = { ...fakeClock(), monotonicUs: () => (nowUs += ms * 1000) }
    const [, sync] = await diskFindings(folder, clock)
    expect(sync).toMatchObject({ state, message: expect.stringContaining(`after ${ms}.0 ms`) })
  })

  test('that cannot be written', async () => {
    await expect(diskFindings(join(folder, 'none'), systemClock())).rejects.toThrow('ENOENT')
  })
})

test('descriptors: two for each request in progress', async () => {
  expect(await descriptorFindings(1)).toMatchObject([{ check: 'descriptors', state: 'ok' }])
  expect(await descriptorFindings(10 ** 9)).toMatchObject([
    { state: 'warn', advice: expect.stringContaining(`LimitNOFILE=${2 * 10 ** 9 + 256}`) },
  ])
})

describe('clock', () => {
  const ahead = (...all: number[]) => all.map((aheadMs, at) => ({ backend: `b${at}`, aheadMs }))
  const judged = async (...all: number[]) =>
    (await clockFindings(ahead(...all), { clock: fakeClock(), store: null }))[0]

  test('by the median of what providers tell', async () => {
    expect(await judged(-900, 1200, 86_400_000)).toMatchObject({ state: 'ok' })
    expect(await judged(10_000)).toMatchObject({ state: 'warn', message: '10 s behind what providers tell' })
    expect(await judged(-3_600_000, -3_600_500)).toMatchObject({
      state: 'fail',
      message: '3600 s ahead of what providers tell',
    })
    expect(await judged()).toMatchObject({ state: 'ok', message: expect.stringContaining('no provider told') })
  })

  test('by the newest record, which must not be from the future', async () => {
    const store = createStoreDouble()
    const clock = fakeClock()
    store.writer.record({ ...recordOf('req_1'), startedAtMs: clock.wallMs() + 120_000 })
    await settleMicrotasks()
    expect(await clockFindings(ahead(0), { clock, store })).toMatchObject([
      { state: 'fail', message: 'set back: the newest record is from 120 s in the future' },
    ])
    clock.advance(120_000)
    expect(await clockFindings(ahead(0), { clock, store })).toMatchObject([{ state: 'ok' }])
  })
})

describe('database and ledger', () => {
  const { reader, writer } = createStoreDouble()

  test('that are well', async () => {
    expect(await databaseFindings({ reader, writer })).toMatchObject([{ state: 'ok' }])
    expect(await ledgerFindings({ reader })).toMatchObject([{ state: 'ok' }])
    expect(await usageFindings({ reader })).toMatchObject([{ state: 'ok' }])
  })

  test('that are not: each fault is told', async () => {
    const broken = {
      ...reader,
      usageFaults: async () => ['usage_by_key, day 20000: cost 1, its settlements sum to 2'],
      integrity: async () => ['ledger.db: row 3 missing from index', 'records.db: malformed'],
      verify: async () => ({
        ...(await reader.verify()),
        clean: false,
        faults: ['account acc_1: balance 5, its postings sum to 4'],
      }),
    }
    const stuck = { ...writer, accepting: () => false }
    expect(await databaseFindings({ reader: broken, writer: stuck })).toMatchObject([
      {
        state: 'fail',
        message: 'ledger.db: row 3 missing from index',
        advice: expect.stringContaining('the last backup'),
      },
      { state: 'fail', message: 'records.db: malformed', advice: expect.stringContaining('delete records.db') },
      { state: 'fail', message: 'the ledger cannot be written now' },
    ])
    expect(await ledgerFindings({ reader: broken })).toMatchObject([
      { state: 'fail', message: expect.stringContaining('acc_1') },
    ])
  })
})

describe('a look that fails', () => {
  test('is a finding, with its inner words', async () => {
    const clock = fakeClock()
    const guard = { clock, check: 'database', limitMs: 60_000 } as const
    const lost = new GatewayError('storage_unavailable', 'Cannot be read.', { internal: 'the thread died' })
    expect(await guarded(guard, () => Promise.reject(lost))).toMatchObject([
      {
        check: 'database',
        state: 'fail',
        message: 'could not be checked: the thread died',
        advice: expect.stringContaining('backup'),
      },
    ])
    expect(clock.timers).toBe(0)
  })

  test('or takes too long, ends in its time', async () => {
    const clock = fakeClock()
    const looking = guarded({ clock, check: 'ledger', limitMs: 60_000 }, () => new Promise(() => {}))
    clock.advance(60_000)
    expect(await looking).toMatchObject([{ state: 'warn', message: 'not finished within 60 s' }])
  })
})
