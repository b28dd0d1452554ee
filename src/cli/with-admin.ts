import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { openOffline } from '../app.ts'
import type { Config } from '../config/index.ts'
import { FolderLocked, isDataFolder, type Recovery } from '../store/index.ts'
import { bufferedDestination, createLog } from '../telemetry/index.ts'
import { adminInside, adminOnSocket, type Client, isServed } from './client.ts'
import { type CliContext, type Place, placeOf } from './context.ts'
import { counted } from './counted.ts'
import { CommandFailure } from './exit.ts'
import { problemsOfSent, readConfig } from './read-config.ts'
import type { Terminal } from './terminal.ts'
import { VERSION } from './version.ts'

/**
 * Works with the admin interface of a command's data folder: the server's when one runs, else its own, under the folder's lock, which it
 * says. Throws `CommandFailure`, with nothing done, when the folder is locked and nobody answers, and when it is needed and no data folder.
 * Secrets of providers are needed by what sends them something.
 */
export async function withAdmin<T>(
  { terminal }: CliContext,
  command: Command,
  work: (admin: Client) => Promise<T>,
  folder: 'needed' | 'made' = 'needed',
  secrets: 'needed' | 'unneeded' = 'unneeded',
): Promise<T> {
  const place = placeOf(command)
  const dataFolder = resolve(place.dataFolder)
  if (await isServed(dataFolder, terminal.clock)) return work(adminOnSocket(dataFolder))
  if (folder === 'needed' && !isDataFolder(dataFolder)) {
    const what = existsSync(dataFolder) ? 'there is no ledger in' : 'there is no data folder'
    throw new CommandFailure(
      `${what} ${place.dataFolder}: name the data folder with --data, or begin with 'accounts create' or 'serve'.`,
    )
  }
  const config = await readConfig(place.configPath, secrets === 'needed' ? terminal : withoutSecrets(terminal))
  return offline({ ...place, dataFolder, config }, terminal, work)
}

/** Whoever looks after money need not hold the secrets of providers. */
const withoutSecrets = ({ surroundings }: Terminal) => ({
  surroundings: { ...surroundings, secrets: 'unneeded' } as const,
})

type Ground = Place & { readonly config: Config }

async function offline<T>(ground: Ground, terminal: Terminal, work: (admin: Client) => Promise<T>): Promise<T> {
  const { clock, random, actor } = terminal
  const { dataFolder, configPath, config } = ground
  const log = createLog({ destination: bufferedDestination({ fd: 2, clock }), level: 'warn', clock })
  const opened = await openOffline({
    dataFolder,
    config,
    configPath: () => configPath,
    checkConfig: (text) => problemsOfSent(text, configPath, terminal),
    version: VERSION,
    log,
    clock,
    random,
    actor,
  }).catch((error) => {
    if (!(error instanceof FolderLocked)) throw error
    throw new CommandFailure(
      `${dataFolder} is in use by another anyrouter that does not answer on its admin.sock (another command, or a server that starts or stops). ` +
        'Nothing was done: try again.',
    )
  })
  terminal.error(`no server runs on ${dataFolder}: working on the folder itself\n${recoveryText(opened.recovery)}`)
  try {
    return await work(adminInside(opened.admin))
  } finally {
    await opened.close()
    await log.flush()
  }
}

/** What became of the requests of a process that died; nothing when there were none. */
function recoveryText({ settled, voided }: Recovery): string {
  if (settled + voided === 0) return ''
  const open = counted(settled + voided, 'request')
  return `closed ${open} of a process that died: ${settled} charged, ${voided} free\n`
}
