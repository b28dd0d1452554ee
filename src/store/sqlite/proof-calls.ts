import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Postings, PostingsPage } from '../proof-contract.ts'
import { backupFolder, backupsOf } from './backup-folder.ts'
import { checkIntegrity } from './check-integrity.ts'
import { compareUsage } from './compare-usage.ts'
import { readableConnection } from './connection.ts'
import { listPostings } from './list-postings.ts'
import { proveNext } from './prove-next.ts'
import type { ReaderCalls } from './reader-protocol.ts'
import { verifyLedger } from './verify.ts'
import { watermarkOf } from './watermark-of.ts'
import { LEDGER_FILE, RECORDS_FILE } from './writer-protocol.ts'

/** The calls of the reader thread that read all there is, each on connections of its own: their snapshot must not be what other reads see meanwhile. */
export function proofCalls(
  dataFolder: () => string,
): Pick<ReaderCalls, 'usageFaults' | 'integrity' | 'verify' | 'proveNext' | 'postings' | 'backup'> {
  const ledgerPath = (): string => join(dataFolder(), LEDGER_FILE)
  const recordsPath = (): string => join(dataFolder(), RECORDS_FILE)
  return {
    usageFaults: () => usageFaults(ledgerPath(), recordsPath()),
    integrity: () => [ledgerPath(), recordsPath()].flatMap(checkIntegrity),
    verify: () => verify(ledgerPath(), recordsPath()),
    proveNext: () => prove(ledgerPath()),
    postings: ([page]) => postings(ledgerPath(), page),
    backup: ([name]) => backup(dataFolder(), name),
  }
}

async function usageFaults(ledgerPath: string, recordsPath: string): Promise<string[]> {
  using ledger = readableConnection(ledgerPath, 'exact')
  using records = readableConnection(recordsPath, 'exact')
  return await compareUsage({ ledger, records, pause })
}

async function verify(ledgerPath: string, recordsPath: string) {
  using ledger = readableConnection(ledgerPath, 'exact')
  return await verifyLedger({ ledger, recordsWatermark: () => watermarkOf(recordsPath), pause })
}

async function prove(ledgerPath: string) {
  using ledger = readableConnection(ledgerPath, 'exact')
  return await proveNext(ledger, pause)
}

function postings(ledgerPath: string, page: PostingsPage): Postings {
  using ledger = readableConnection(ledgerPath)
  return listPostings(ledger, page)
}

function backup(dataFolder: string, name: string) {
  const backups = backupsOf(dataFolder)
  mkdirSync(backups, { recursive: true, mode: 0o700 })
  return backupFolder(dataFolder, join(backups, name))
}

/** Lets other reads of this thread have their turn. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
