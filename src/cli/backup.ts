import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { errorText, fileStamp, megabytes } from '../lib/index.ts'
import {
  backupOffline,
  backupsOf,
  FolderLocked,
  isDataFolder,
  MigrationError,
  moveFolder,
  type Restored,
  restoreFolder,
  type VerifyReport,
} from '../store/index.ts'
import { MASTER_KEY_FILE } from '../vault/index.ts'
import { adminOnSocket, isServed } from './client.ts'
import { type CliContext, placeOf, show } from './context.ts'
import { counted } from './counted.ts'
import { CommandFailure } from './exit.ts'
import { pathOf } from './path-of.ts'

const made = z.object({
  folder: z.string(),
  ledger_bytes: z.number(),
  records_bytes: z.number(),
  verify: z.object({ clean: z.boolean(), faults: z.array(z.string()) }),
})

interface Made {
  readonly folder: string
  readonly bytes: number
  readonly faults: readonly string[]
}

/** `backup` and `restore`: copies of both databases, and how to go back to one. */
export function addBackup(program: Command, context: CliContext): void {
  program
    .command('backup')
    .description('copy the ledger and the records, while the server runs or without one, and prove the copy')
    .argument('[folder]', "a new folder (default: one in the data folder's backups)", pathOf)
    .option('--json', 'print JSON')
    .action(async (folder: string | undefined, { json }: { json?: true }, command: Command) => {
      const wanted = folder === undefined ? null : resolve(folder)
      if (wanted !== null && existsSync(wanted))
        throw new CommandFailure(`${folder} is there already. Nothing was done.`)
      if (wanted !== null && !isFolder(dirname(wanted)))
        throw new CommandFailure(`there is no folder ${dirname(wanted)}. Nothing was done.`)
      const copy = await makeBackup(context, resolve(placeOf(command).dataFolder), wanted)
      if (copy.faults.length > 0) throw new CommandFailure(notClean(copy.folder, copy.faults))
      show(context, json, copy, () => `${copy.folder}: ${megabytes(copy.bytes)}, verified. ${KEY_NOTE}\n`)
    })
  program
    .command('restore')
    .description('put a backup in the place of the ledger and the records, which are kept beside; no server may run')
    .argument('<folder>', 'the backup', pathOf)
    .option('--json', 'print JSON')
    .action(async (folder: string, { json }: { json?: true }, command: Command) => {
      const dataFolder = resolve(placeOf(command).dataFolder)
      const restored = await restore(context, resolve(folder), dataFolder)
      const { accounts, entries, settlements } = restored.verify
      const said = { accounts, entries, settlements, has_records: restored.hasRecords, kept: restored.kept }
      show(context, json, said, () => restoredText(restored))
      if (!existsSync(join(dataFolder, MASTER_KEY_FILE)))
        context.terminal.error(
          `there is no ${MASTER_KEY_FILE} in ${dataFolder}: put it back too, without it own credentials cannot be read\n`,
        )
    })
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

const KEY_NOTE = `${MASTER_KEY_FILE} is not in it: keep a copy of that apart, without it own credentials cannot be read.`

async function makeBackup({ terminal }: CliContext, dataFolder: string, wanted: string | null): Promise<Made> {
  const { clock } = terminal
  if (await isServed(dataFolder, clock)) {
    const { folder, verify, ...bytes } = made.parse(await adminOnSocket(dataFolder)('POST', '/backups'))
    if (wanted !== null) moveBackup(folder, wanted)
    return { folder: wanted ?? folder, bytes: bytes.ledger_bytes + bytes.records_bytes, faults: verify.faults }
  }
  if (!isDataFolder(dataFolder))
    throw new CommandFailure(`there is no ledger in ${dataFolder}: name the data folder with --data.`)
  const backups = backupsOf(dataFolder)
  if (wanted === null) mkdirSync(backups, { recursive: true, mode: 0o700 })
  const into = wanted ?? join(backups, fileStamp(clock.wallMs()))
  const report = await backupOffline(dataFolder, into).catch((error) => {
    throw new CommandFailure(`the backup was not made: ${inUse(error) ?? errorText(error)}`)
  })
  return { folder: into, bytes: report.ledgerBytes + report.recordsBytes, faults: report.verify.faults }
}

/** Where it was made it stays when it cannot be moved. */
function moveBackup(from: string, to: string): void {
  try {
    moveFolder(from, to)
  } catch (error) {
    throw new CommandFailure(`${errorText(error)}. The backup is in ${from}.`)
  }
}

async function restore({ terminal }: CliContext, backup: string, dataFolder: string): Promise<Restored> {
  const { clock } = terminal
  if (await isServed(dataFolder, clock)) throw new CommandFailure(`${RUNNING} Nothing was done.`)
  const restored = await restoreFolder(backup, dataFolder, clock.wallMs()).catch((error) => {
    throw new CommandFailure(`nothing was changed: ${inUse(error) ?? errorText(error)}`)
  })
  const { verify } = restored
  if (!verify.clean) throw new CommandFailure(`${notClean(backup, verify.faults)}\nNothing was changed.`)
  return restored
}

function restoredText({ verify, kept, hasRecords }: Restored): string {
  const records = hasRecords ? '' : 'It had no records: they begin anew, sums of usage from the ledger.\n'
  const before = kept === null ? '' : `What was there before is in ${kept}: 'anyrouter restore' takes it back.\n`
  return `restored: ${countsOf(verify)}.\n${records}${before}`
}

const RUNNING = 'a server runs on this data folder: stop it first.'

/** The plain words of a refusal that needs no more. */
function inUse(error: unknown): string | null {
  if (error instanceof FolderLocked) return `${error.dataFolder} is in use by another anyrouter.`
  return error instanceof MigrationError ? error.message : null
}

const notClean = (folder: string, faults: readonly string[]): string =>
  `the ledger of ${folder} does not add up:\n${faults.map((fault) => `  ${fault}`).join('\n')}`

const countsOf = ({ accounts, entries, settlements }: VerifyReport): string =>
  [counted(accounts, 'account'), counted(entries, 'entry', 'entries'), counted(settlements, 'settlement')].join(', ')
