import { resolve } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { adminOnSocket, type Client, isServed } from './client.ts'
import { type CliContext, placeOf, show } from './context.ts'
import { CommandFailure } from './exit.ts'
import { someOf } from './some-of.ts'

/** `reload`: the running server reads its configuration again; exit 1 with every problem when it cannot be used, and nothing has changed. */
export function addReload(program: Command, context: CliContext): void {
  program
    .command('reload')
    .description('the running server reads its configuration again, from the file it was started with, all or nothing')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }, command: Command) => {
      const place = placeOf(command)
      const dataFolder = resolve(place.dataFolder)
      if (!(await isServed(dataFolder, context.terminal.clock))) {
        throw new CommandFailure(
          `no server runs on ${place.dataFolder}: it reads its configuration when it starts. Name another folder with --data.`,
        )
      }
      const answer = await reloadNow(adminOnSocket(dataFolder))
      show(context, json, answer, () => reloadText(answer))
    })
}

/** Has the server of this admin interface reload. Throws `CommandFailure` with every problem when the configuration cannot be used. */
export const reloadNow = async (admin: Client): Promise<Answer> =>
  answerShape.parse(await admin('POST', '/config/reload'))

/** What a reload has changed, for people: a line for each kind of change. */
export function reloadText({ catalogue_version, restart_needed, settings, ...changes }: Answer): string {
  const lines = Object.entries(changes).flatMap(([what, { added, removed, changed }]) =>
    Object.entries({ added, removed, changed })
      .filter(([, names]) => names.length > 0)
      .map(([how, names]) => `  ${what} ${how}: ${someOf(names, NAMES_MAX)}`),
  )
  if (settings.length > 0) lines.push(`  settings changed: ${settings.join(', ')}`)
  const first = `configuration read again: catalogue ${catalogue_version}${lines.length === 0 ? ', nothing changed' : ''}`
  if (restart_needed.length > 0) lines.push(`  only after a restart: ${restart_needed.join(', ')}`)
  return [first, ...lines].map((line) => `${line}\n`).join('')
}

const NAMES_MAX = 8 // a preset brings hundreds of models

const names = z.object({ added: z.array(z.string()), removed: z.array(z.string()), changed: z.array(z.string()) })
const answerShape = z.object({
  catalogue_version: z.number(),
  backends: names,
  models: names,
  aliases: names,
  routers: names,
  settings: z.array(z.string()),
  restart_needed: z.array(z.string()),
})
type Answer = z.output<typeof answerShape>
