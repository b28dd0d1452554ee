import { join } from 'node:path'
import { assert, systemClock } from '../../lib/index.ts'
import { serveThread } from '../../threads/index.ts'
import type { Learned } from '../learned-contract.ts'
import type { SealedContent } from '../records-contract.ts'
import { decodeBatch, isForLedger, NOTHING_WRITTEN } from './batch.ts'
import { Faults } from './faults.ts'
import { LedgerFile } from './ledger-file.ts'
import type { TellMigration } from './migrate.ts'
import { RecordsFile } from './records-file.ts'
import { LEDGER_FILE, type LogEvent, RECORDS_FILE, type WriterCalls } from './writer-protocol.ts'

// Entry point of the writer thread: it owns all writes of both files.
serveThread<WriterCalls, LogEvent>((post) => {
  const faults = new Faults()
  const tell =
    (file: 'ledger' | 'records'): TellMigration =>
    (event, fields) =>
      post({ level: 'info', event: `${file}_${event}`, fields })
  let files: { readonly ledger: LedgerFile; readonly records: RecordsFile } | null = null

  return {
    open({ dataFolder, crash, wallMs }) {
      const ledgerPath = join(dataFolder, LEDGER_FILE)
      const ledger = new LedgerFile({ path: ledgerPath, crash, wallMs, faults, tellMigration: tell('ledger') })
      const records = new RecordsFile({
        path: join(dataFolder, RECORDS_FILE),
        ledgerPath,
        lastSettlement: () => ledger.lastSettlement(),
        clock: systemClock(),
        faults,
        tellMigration: tell('records'),
        onTrouble: (event, fields) => post({ level: 'error', event, fields }),
      })
      files = { ledger, records }
      records.write()
      return ledger.recovery
    },
    write(text) {
      assert(files !== null, 'write before open')
      const { ledger, records } = files
      const batch = decodeBatch(text)
      const end = isForLedger(batch) ? ledger.write(batch) : NOTHING_WRITTEN
      if (end.kind !== 'committed') return end // the batch's records come again with the settlements
      records.add(batch.records)
      records.writeSoon()
      return end
    },
    learned(text) {
      files?.records.learn(JSON.parse(text) as Learned)
      return null
    },
    pruneRecords(bounds) {
      return files?.records.prune(bounds) ?? false
    },
    content(text) {
      files?.records.keepContent(JSON.parse(text) as SealedContent)
      return null
    },
    resealContents(text) {
      files?.records.resealContents(JSON.parse(text) as SealedContent[])
      return null
    },
    fault(change) {
      faults.set(change)
      return null
    },
    close() {
      files?.records.close()
      files?.ledger.close()
      files = null
      return null
    },
  }
})
