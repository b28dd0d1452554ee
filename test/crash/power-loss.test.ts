import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { base62, systemRandom } from '../../src/lib/index.ts'
import type { CommitNote } from '../../src/store/sqlite/faults.ts'
import { breathe } from '../support/wire.ts'
import { kill, storeChild } from '../unit/store/process-kit.ts'
import { fundedAccount, storeKit, tempFolder } from '../unit/store/store-kit.ts'

// What a loss of power leaves is what was synced: the ledger's log up to its last commit that was told, and of what was written behind it anything.
// The process is killed; then its logs are cut, which a kill alone never does.

const WAL_HEAD_BYTES = 32
const CUTS = Math.ceil(Number(process.env.ANYROUTER_KILLS ?? 8) / 4)
const random = systemRandom()
const below = (bound: number): number => Math.floor(random.fraction() * bound)

function lastNote(path: string): CommitNote | null {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
  const last = lines.at(-1)
  return last === undefined ? null : JSON.parse(last)
}

/** Cuts the log behind what is known to be synced, and spoils a byte of what is left of the rest. */
function cutBehind(path: string, syncedBytes: number): void {
  const { size } = statSync(path)
  if (size < syncedBytes) return // it has begun anew since: all of it is in the database, synced
  const kept = syncedBytes + below(size - syncedBytes + 1)
  truncateSync(path, kept)
  if (kept > syncedBytes) {
    const bytes = readFileSync(path)
    const at = syncedBytes + below(kept - syncedBytes)
    bytes[at] = 255 - (bytes[at] ?? 0)
    writeFileSync(path, bytes)
  }
}

function settlementsIn(folder: string): number {
  const ledger = new Database(join(folder, 'ledger.db'), { readonly: true })
  try {
    return ledger.query<{ n: number }, []>('SELECT coalesce(max(seq), 0) AS n FROM settlement').get()?.n ?? 0
  } finally {
    ledger.close()
  }
}

test(`${CUTS} losses of power: every settlement that was told is there, and the ledger is sound`, async () => {
  const dataFolder = tempFolder()
  const kit = await storeKit({ dataFolder })
  await fundedAccount(kit.store)
  await kit.store.close()
  let told = 0
  try {
    for (let cut = 1; cut <= CUTS; cut++) {
      const notes = join(dataFolder, `notes-${base62(8, random)}`)
      const { child, line } = await storeChild(dataFolder, 'settle_more', notes)
      expect(line).toBe('ready')
      const goal = told + 400 + below(5000) // some before the log begins anew for the first time, some long after
      while ((lastNote(notes)?.lastSettlement ?? 0) < goal) await breathe()
      await kill(child)
      const note = lastNote(notes)
      if (note === null) throw new Error('it has told of no commit')
      cutBehind(join(dataFolder, 'ledger.db-wal'), note.walBytes)
      const records = join(dataFolder, 'records.db-wal') // is synced now and then only
      if (existsSync(records)) truncateSync(records, below(statSync(records).size + 1))
      for (const file of ['ledger.db-shm', 'records.db-shm']) rmSync(join(dataFolder, file), { force: true })
      const again = await storeKit({ dataFolder })
      expect((await again.store.reader.verify()).faults).toEqual([])
      expect(await again.store.reader.proveNext()).toMatchObject({ faults: [] })
      expect(await again.store.reader.usageFaults()).toEqual([])
      told = settlementsIn(dataFolder)
      expect(told).toBeGreaterThanOrEqual(note.lastSettlement)
      await again.store.close()
      rmSync(notes)
    }
  } finally {
    rmSync(dataFolder, { recursive: true, force: true })
  }
}, 600_000)

test('a log that is cut before what was told loses it: the test above can fail', async () => {
  const dataFolder = tempFolder()
  const kit = await storeKit({ dataFolder })
  await fundedAccount(kit.store)
  await kit.store.close()
  try {
    const notes = join(dataFolder, 'notes')
    const { child } = await storeChild(dataFolder, 'settle_more', notes)
    while ((lastNote(notes)?.lastSettlement ?? 0) < 400) await breathe()
    await kill(child)
    const { lastSettlement = 0 } = lastNote(notes) ?? {}
    truncateSync(join(dataFolder, 'ledger.db-wal'), WAL_HEAD_BYTES)
    rmSync(join(dataFolder, 'ledger.db-shm'), { force: true })
    expect(settlementsIn(dataFolder)).toBeLessThan(lastSettlement)
  } finally {
    rmSync(dataFolder, { recursive: true, force: true })
  }
}, 60_000)
