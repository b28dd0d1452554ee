import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { MoneySettings } from '../domain/index.ts'
import type { Clock } from '../lib/index.ts'
import type { Log } from '../telemetry/index.ts'
import { startThread } from '../threads/index.ts'
import type { Store } from './contract.ts'
import { folderFailure } from './folder-unusable.ts'
import { removeUnfinished } from './sqlite/backup-folder.ts'
import type { FaultPanel } from './sqlite/faults.ts'
import { LOCK_FILE, lockFolder } from './sqlite/lock.ts'
import { openMainReads } from './sqlite/main-reads.ts'
import { ReaderClient } from './sqlite/reader-client.ts'
import { spawnReader, spawnWriter } from './sqlite/spawn.ts'
import { WriterClient } from './sqlite/writer-client.ts'
import { LEDGER_FILE, type LogEvent, type WriterCalls } from './sqlite/writer-protocol.ts'

export interface StoreOptions {
  /** Made (0700) when it is not there. */
  readonly dataFolder: string
  /** What becomes of the open holds of a dead process; null: as that one was told. */
  readonly money: { readonly crash: MoneySettings['crash'] | null }
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** At most once: the ledger can no longer be trusted to this process. Take no more requests and exit; the next start recovers. */
  readonly onFatal: (error: Error) => void
  /** Tests only. */
  readonly faults?: FaultPanel
}

/**
 * Opens the store of a data folder: takes its lock, brings both files to this program's version, begins an epoch and closes the holds
 * of dead ones. Throws `FolderLocked` when another process has the folder, `FolderUnusable` when it cannot be written, else an error whose message says which file failed and why.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataFolder } = options
  const unlock = takeFolder(dataFolder)
  const undo: (() => void | Promise<void>)[] = [unlock]
  try {
    return await openLocked(options, undo)
  } catch (error) {
    for (const step of undo.reverse()) await step()
    throw error
  }
}

/** Makes the folder when it is not there, and takes its lock. Throws `FolderLocked`, and `FolderUnusable` with the path that cannot be used. */
export function takeFolder(dataFolder: string): () => void {
  told(dataFolder, () => mkdirSync(dataFolder, { recursive: true, mode: 0o700 }))
  // SQLite has one word for all that is wrong with a folder or a file.
  told(dataFolder, () => accessSync(dataFolder, constants.W_OK | constants.X_OK))
  for (const path of OWN_FILES.map((file) => join(dataFolder, file)))
    if (existsSync(path)) told(path, () => accessSync(path, constants.R_OK | constants.W_OK))
  return told(dataFolder, () => lockFolder(dataFolder))
}

/** What a command of another user may have left: root's, for one. */
const OWN_FILES = [LOCK_FILE, LEDGER_FILE, `${LEDGER_FILE}-wal`, `${LEDGER_FILE}-shm`]

function told<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw folderFailure(path, error)
  }
}

async function openLocked(options: StoreOptions, undo: (() => void | Promise<void>)[]): Promise<Store> {
  const { dataFolder, money, clock, log, onFatal, faults } = options
  removeUnfinished(dataFolder)
  let writer: WriterClient | null = null
  const thread = startThread<WriterCalls, LogEvent>({
    spawn: spawnWriter,
    clock,
    onEvent: ({ level, event, fields }) => log[level](event, fields),
    onDeath: (error) => writer?.die(error),
  })
  undo.push(() => thread.end())
  const recovery = await thread.call('open', { dataFolder, crash: money.crash, wallMs: clock.wallMs() })
  faults?.connect((change) => thread.call('fault', change))
  const closeFiles = (): Promise<unknown> =>
    thread.call('close', null).catch((error: Error) => log.error('close_failed', { message: error.message }))
  undo.push(async () => void (await closeFiles()))
  writer = new WriterClient({ thread, clock, log, onFatal })
  const reads = openMainReads(join(dataFolder, LEDGER_FILE))
  undo.push(() => reads.close())
  const reader = new ReaderClient({ spawn: spawnReader, dataFolder, clock, log })
  undo.push(() => reader.close())
  await reader.open()

  async function closeAll(open: WriterClient): Promise<void> {
    const isSound = await open.close()
    await reader.close()
    reads.close()
    if (isSound) await closeFiles()
    thread.end()
    void undo[0]?.() // the lock comes last
  }

  let closing: Promise<void> | null = null
  const open = writer
  return {
    reads,
    writer,
    reader,
    recovery,
    close: () => {
      closing ??= closeAll(open)
      return closing
    },
  }
}
