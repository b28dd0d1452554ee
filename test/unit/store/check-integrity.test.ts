import { expect, test } from 'bun:test'
import { closeSync, fstatSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { checkIntegrity } from '../../../src/store/sqlite/check-integrity.ts'
import { fundedAccount, recordOf, storeKit } from './store-kit.ts'

const PAGE_BYTES = 4096

/** Overwrites every page of a file but its first. */
function scribble(path: string): void {
  const file = openSync(path, 'r+')
  try {
    const pages = fstatSync(file).size / PAGE_BYTES
    for (let page = 1; page < pages; page++)
      writeSync(file, new Uint8Array(PAGE_BYTES).fill(page), 0, PAGE_BYTES, page * PAGE_BYTES)
  } finally {
    closeSync(file)
  }
}

test('files that are sound have no faults, while they are written', async () => {
  const kit = await storeKit()
  try {
    await fundedAccount(kit.store)
    kit.store.writer.record(recordOf('req_1'))
    expect(await kit.store.reader.integrity()).toEqual([])
    expect(await kit.store.reader.accounts({ limit: 5, after: null })).toHaveLength(1)
  } finally {
    await kit.end()
  }
})

test('torn pages are told with the name of the file; so is a file that is not there', async () => {
  const kit = await storeKit()
  try {
    await fundedAccount(kit.store)
    await kit.store.close()
    const ledger = join(kit.folder, 'ledger.db')
    scribble(ledger)
    const faults = checkIntegrity(ledger)
    expect(faults.length).toBeGreaterThan(0)
    for (const fault of faults) expect(fault).toStartWith('ledger.db: ')
    expect(checkIntegrity(join(kit.folder, 'records.db'))).toEqual([])
    rmSync(join(kit.folder, 'records.db'))
    expect(checkIntegrity(join(kit.folder, 'records.db'))).toEqual([expect.stringContaining('records.db: ')])
  } finally {
    rmSync(kit.folder, { recursive: true, force: true })
  }
})
