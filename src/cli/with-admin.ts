import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { openOffline } from '../app.ts'
import { FolderLocked, type Recovery } from '../store/index.ts'
import { bufferedDestination, createLog } from '../telemetry/index.ts'
import { adminInside, adminOnSocket, type Client, isServed } from './client.ts'
import { type CliContext, type Place, placeOf } from './context.ts'
import { counted } from './counted.ts'
import { CommandFailure } from './exit.ts'
import { problemsOf, readConfig } from './read-config.ts'
import type { Terminal } from './terminal.ts'
import { VERSION } from './version.ts'

/**
 * Works with the admin interface of a command's data folder: the server's when one runs, else its own, under the folder's lock, which it
 * says. Throws `CommandFailure`, with nothing done, when the folder is locked and nobody answers, and when it is not there but needed.
 */
export async function withAdmin<T>(
  { terminal }: CliContext,
  command: Command,
  work: (admin: Client) => Promise<T>,
  folder: 'needed' | 'made' = 'needed',
): Promise<T> {
  const place = placeOf(command)
  const dataFolder = resolve(place.dataFolder)
  if (await isServed(dataFolder, terminal.clock)) return work(adminOnSocket(dataFolder))
  if (folder === 'needed' && !existsSync(dataFolder)) {
    throw new CommandFailure(
      `there is no data folder ${place.dataFolder}: name it with --data, or begin with 'accounts create' or 'serve'.`,
    )
  }
  return offline({ ...place, dataFolder }, terminal, work)
}

async function offline<T>(place: Place, terminal: Terminal, work: (admin: Client) => Promise<T>): Promise<T> {
  const { clock, random, actor } = terminal
  const { dataFolder } = place
  // Providers are sent nothing from here: whoever looks after money need not hold their secrets.
  const surroundings = { ...terminal.surroundings, secrets: 'unneeded' } as const
  const config = await readConfig(place.configPath, { surroundings })
  const log = createLog({ destination: bufferedDestination({ fd: 2, clock }), level: 'warn', clock })
  const opened = await openOffline({
    dataFolder,
    config,
    configPath: () => place.configPath,
    checkConfig: (text) => problemsOf(text, place.configPath, terminal),
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
  terminal.error(
    `no server runs on ${place.dataFolder}: working on the folder itself\n${recoveryText(opened.recovery)}`,
  )
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
