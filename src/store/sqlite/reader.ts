import { join } from 'node:path'
import { assert } from '../../lib/index.ts'
import { serveThread } from '../../threads/index.ts'
import type { UsageAnswer, UsageQuery } from '../backends-contract.ts'
import { type Connection, readableConnection } from './connection.ts'
import { pause, proofCalls } from './proof-calls.ts'
import { ledgerQueries, recordsQueries } from './queries.ts'
import type { ReaderCalls } from './reader-protocol.ts'
import { sumUsage } from './sum-usage.ts'
import { LEDGER_FILE, RECORDS_FILE } from './writer-protocol.ts'

type LedgerQueries = ReturnType<typeof ledgerQueries>
type RecordsQueries = ReturnType<typeof recordsQueries>

// Entry point of the reader thread: reads of any size, on read-only connections of its own.
serveThread<ReaderCalls, never>(() => {
  let folder: string | null = null
  let ledger: LedgerQueries | null = null
  let records: RecordsQueries | null = null
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

  return {
    open({ dataFolder }) {
      folder = dataFolder
      ofLedger()
      return null
    },
    accounts: ([page]) => ofLedger().accounts(page),
    accountNamed: ([name]) => ofLedger().accountNamed(name),
    keys: ([accountId, page]) => ofLedger().keys(accountId, page),
    key: ([keyId]) => ofLedger().key(keyId),
    listedKeys: ([wish]) => ofLedger().listedKeys(wish),
    listedKey: ([hash, since]) => ofLedger().listedKey(hash, since),
    accountFigures: ([accountId, day]) => ofLedger().accountFigures(accountId, day),
    entries: ([accountId, page]) => ofLedger().entries(accountId, page),
    webhook: ([accountId]) => ofLedger().webhook(accountId),
    webhooks: ([page]) => ofLedger().webhooks(page),
    eventsDue: ([nowMs, eventsMax]) => ofLedger().eventsDue(nowMs, eventsMax),
    events: ([accountId, page]) => ofLedger().events(accountId, page),
    refundable: ([requestId]) => ofLedger().refundable(requestId),
    lotsDue: ([byMs, page]) => ofLedger().lotsDue(byMs, page),
    settlements: ([accountId, page]) => ofLedger().settlements(accountId, page),
    holds: ([accountId]) => ofLedger().holds(accountId),
    ...callsOfRecords(ofRecords),
    quarantine: () => ofLedger().quarantine(),
    ownCredentials: ([accountId, page]) => ofLedger().ownCredentials(accountId, page),
    ownCredential: ([accountId, id]) => ofLedger().ownCredential(accountId, id),
    storedThings: ([query]) => ofLedger().storedThings(query),
    usage: ([query]) => usage(pathOf(LEDGER_FILE), pathOf(RECORDS_FILE), query),
    managementKeys: ([page]) => ofLedger().managementKeys(page),
    managementKey: ([id]) => ofLedger().managementKey(id),
    audit: ([filter, page]) => ofLedger().audit(filter, page),
    ...proofCalls(() => pathOf('')),
    close() {
      for (const connection of connections) connection.close()
      return null
    },
  }
})

function callsOfRecords(
  queries: () => RecordsQueries,
): Pick<ReaderCalls, 'records' | 'record' | 'content' | 'contents' | 'observed' | 'sticky'> {
  return {
    records: ([page]) => queries().records(page),
    record: ([requestId]) => queries().record(requestId),
    content: ([requestId]) => queries().content(requestId),
    contents: ([page]) => queries().contents(page),
    observed: ([nowMs]) => queries().observed(nowMs),
    sticky: ([sinceMs, rowsMax]) => queries().sticky(sinceMs, rowsMax),
  }
}

/** On connections of its own, too: it goes on over many turns. */
async function usage(ledgerPath: string, recordsPath: string, query: UsageQuery): Promise<UsageAnswer> {
  using ledger = readableConnection(ledgerPath, 'exact')
  using records = recordsOrNull(recordsPath)
  return await sumUsage({ ledger, records, pause }, query)
}

/** The records may be out of order while the ledger is not. */
function recordsOrNull(path: string): Connection | null {
  try {
    const records = readableConnection(path, 'exact')
    records.prepare('SELECT day FROM usage_by_month LIMIT 1').get()
    return records
  } catch {
    return null
  }
}
