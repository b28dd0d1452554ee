import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { errorText, fileStamp } from '../lib/index.ts'
import {
  backupOffline,
  FolderLocked,
  MigrationError,
  moveFolder,
  restoreFolder,
  type VerifyReport,
} from '../store/index.ts'
import { adminOnSocket, isServed } from './client.ts'
import { type CliContext, placeOf } from './context.ts'
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
    .action(async (folder: string | undefined, _: object, command: Command) => {
      const wanted = folder === undefined ? null : resolve(folder)
      if (wanted !== null && existsSync(wanted))
        throw new CommandFailure(`${folder} is there already. Nothing was done.`)
      if (wanted !== null && !isFolder(dirname(wanted)))
        throw new CommandFailure(`there is no folder ${dirname(wanted)}. Nothing was done.`)
      const copy = await makeBackup(context, resolve(placeOf(command).dataFolder), wanted)
      if (copy.faults.length > 0) throw new CommandFailure(notClean(copy.folder, copy.faults))
      context.terminal.out(`${copy.folder}: ${megabytes(copy.bytes)}, verified. ${KEY_NOTE}\n`)
    })
  program
    .command('restore')
    .description('put a backup in the place of the ledger and the records, which are kept beside; no server may run')
    .argument('<folder>', 'the backup', pathOf)
    .action(async (folder: string, _: object, command: Command) => {
      await restore(context, resolve(folder), resolve(placeOf(command).dataFolder))
    })
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

const KEY_NOTE = 'master.key is not in it: keep a copy of that apart, without it own credentials cannot be read.'

async function makeBackup({ terminal }: CliContext, dataFolder: string, wanted: string | null): Promise<Made> {
  const { clock } = terminal
  if (await isServed(dataFolder, clock)) {
    const { folder, verify, ...bytes } = made.parse(await adminOnSocket(dataFolder)('POST', '/backups'))
    if (wanted !== null) moveBackup(folder, wanted)
    return { folder: wanted ?? folder, bytes: bytes.ledger_bytes + bytes.records_bytes, faults: verify.faults }
  }
  if (!existsSync(dataFolder)) throw new CommandFailure(`there is no data folder ${dataFolder}: name it with --data.`)
  const backups = join(dataFolder, 'backups')
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

async function restore({ terminal }: CliContext, backup: string, dataFolder: string): Promise<void> {
  const { clock } = terminal
  if (await isServed(dataFolder, clock)) throw new CommandFailure(`${RUNNING} Nothing was done.`)
  const { verify, kept, hasRecords } = await restoreFolder(backup, dataFolder, clock.wallMs()).catch((error) => {
    throw new CommandFailure(`nothing was changed: ${inUse(error) ?? errorText(error)}`)
  })
  if (!verify.clean) throw new CommandFailure(`${notClean(backup, verify.faults)}\nNothing was changed.`)
  const records = hasRecords ? '' : 'It had no records: they begin anew, sums of usage from the ledger.\n'
  const before = kept === null ? '' : `What was there before is in ${kept}: 'anyrouter restore' takes it back.\n`
  terminal.out(`restored: ${countsOf(verify)}.\n${records}${before}`)
  if (!existsSync(join(dataFolder, 'master.key')))
    terminal.error(
      `there is no master.key in ${dataFolder}: put it back too, without it own credentials cannot be read\n`,
    )
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

const BYTES_PER_MB = 1_000_000
const megabytes = (bytes: number): string => `${(bytes / BYTES_PER_MB).toFixed(1)} MB`
