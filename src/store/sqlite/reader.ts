import { join } from 'node:path'
import { assert } from '../../lib/index.ts'
import { serveThread } from '../../threads/index.ts'
import type { UsageAnswer, UsageQuery } from '../backends-contract.ts'
import { backupFolder } from './backup-folder.ts'
import { checkIntegrity } from './check-integrity.ts'
import { compareUsage } from './compare-usage.ts'
import { type Connection, readableConnection } from './connection.ts'
import { listPostings } from './list-postings.ts'
import { proveNext } from './prove-next.ts'
import { ledgerQueries, recordsQueries } from './queries.ts'
import type { ReaderCalls } from './reader-protocol.ts'
import { sumUsage } from './sum-usage.ts'
import { verifyLedger } from './verify.ts'
import { watermarkOf } from './watermark-of.ts'
import { LEDGER_FILE, RECORDS_FILE } from './writer-protocol.ts'

type LedgerQueries = ReturnType<typeof ledgerQueries>
type RecordsQueries = ReturnType<typeof recordsQueries>

// Entry point of the reader thread: reads of any size, on read-only connections of its own.
serveThread<ReaderCalls, never>(() => {
  let folder: string | null = null
  let ledger: LedgerQueries | null = null
  let records: RecordsQueries | null = null
  let postings: Connection | null = null
  const connections: Connection[] = []

  function pathOf(file: string): string {
    assert(folder !== null, 'a read before open')
    return join(folder, file)
  }

  function connect(file: string): Connection {
    const connection = readableConnection(pathOf(file))
    connections.push(connection)
    return connection
  }

  const ofLedger = (): LedgerQueries => {
    ledger ??= ledgerQueries(connect(LEDGER_FILE))
    return ledger
  }

  /** Opened when first asked for: the records may be out of order while the ledger is not. */
  const ofRecords = (): RecordsQueries => {
    records ??= recordsQueries(connect(RECORDS_FILE))
    return records
  }

  const ofPostings = (): Connection => {
    postings ??= connect(LEDGER_FILE)
    return postings
  }

  return {
    open({ dataFolder }) {
      folder = dataFolder
      ofLedger()
      return null
    },
    accounts: ([page]) => ofLedger().accounts(page),
    keys: ([accountId, page]) => ofLedger().keys(accountId, page),
    key: ([keyId]) => ofLedger().key(keyId),
    listedKeys: ([wish]) => ofLedger().listedKeys(wish),
    listedKey: ([hash, since]) => ofLedger().listedKey(hash, since),
    accountFigures: ([accountId, day]) => ofLedger().accountFigures(accountId, day),
    entries: ([accountId, page]) => ofLedger().entries(accountId, page),
    refundable: ([requestId]) => ofLedger().refundable(requestId),
    lotsDue: ([byMs, page]) => ofLedger().lotsDue(byMs, page),
    settlements: ([accountId, page]) => ofLedger().settlements(accountId, page),
    holds: ([accountId]) => ofLedger().holds(accountId),
    records: ([page]) => ofRecords().records(page),
    record: ([requestId]) => ofRecords().record(requestId),
    content: ([requestId]) => ofRecords().content(requestId),
    usageFaults: () => usageFaults(pathOf(LEDGER_FILE), pathOf(RECORDS_FILE)),
    contents: ([page]) => ofRecords().contents(page),
    quarantine: () => ofLedger().quarantine(),
    ownCredentials: ([accountId, page]) => ofLedger().ownCredentials(accountId, page),
    ownCredential: ([accountId, id]) => ofLedger().ownCredential(accountId, id),
    storedThings: ([query]) => ofLedger().storedThings(query),
    observed: ([nowMs]) => ofRecords().observed(nowMs),
    sticky: ([sinceMs, rowsMax]) => ofRecords().sticky(sinceMs, rowsMax),
    usage: ([query]) => usage(pathOf(LEDGER_FILE), pathOf(RECORDS_FILE), query),
    managementKeys: ([page]) => ofLedger().managementKeys(page),
    managementKey: ([id]) => ofLedger().managementKey(id),
    audit: ([filter, page]) => ofLedger().audit(filter, page),
    integrity: () => [LEDGER_FILE, RECORDS_FILE].flatMap((file) => checkIntegrity(pathOf(file))),
    verify: () => verify(pathOf(LEDGER_FILE), pathOf(RECORDS_FILE)),
    proveNext: () => prove(pathOf(LEDGER_FILE)),
    postings: ([page]) => listPostings(ofPostings(), page),
    backup: ([into]) => backup(folder, into),
    close() {
      for (const connection of connections) connection.close()
      return null
    },
  }
})

/** On connections of its own, too: it goes on over many turns. */
async function usage(ledgerPath: string, recordsPath: string, query: UsageQuery): Promise<UsageAnswer> {
  const ledger = readableConnection(ledgerPath, 'exact')
  const records = recordsOrNull(recordsPath)
  try {
    return await sumUsage({ ledger, records, pause }, query)
  } finally {
    records?.close()
    ledger.close()
  }
}

/** On connections of its own, as usage. */
async function usageFaults(ledgerPath: string, recordsPath: string): Promise<string[]> {
  const ledger = readableConnection(ledgerPath, 'exact')
  const records = readableConnection(recordsPath, 'exact')
  try {
    return await compareUsage({ ledger, records, pause })
  } finally {
    records.close()
    ledger.close()
  }
}

/** The records may be out of order while the ledger is not. */
function recordsOrNull(path: string): Connection | null {
  try {
    const records = readableConnection(path, 'exact')
    records.prepare('SELECT day FROM usage_by_offer LIMIT 1').get()
    return records
  } catch {
    return null
  }
}

/** On connections of its own: its snapshot must not be what other reads see meanwhile. */
async function verify(ledgerPath: string, recordsPath: string) {
  const ledger = readableConnection(ledgerPath, 'exact')
  try {
    return await verifyLedger({
      ledger,
      recordsWatermark: () => watermarkOf(recordsPath),
      pause,
    })
  } finally {
    ledger.close()
  }
}

/** On a connection of its own, as the whole proof. */
async function prove(ledgerPath: string) {
  const ledger = readableConnection(ledgerPath, 'exact')
  try {
    return await proveNext(ledger, pause)
  } finally {
    ledger.close()
  }
}

function backup(dataFolder: string | null, into: string) {
  assert(dataFolder !== null, 'a backup before open')
  return backupFolder(dataFolder, into)
}

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
