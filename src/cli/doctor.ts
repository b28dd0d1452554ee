import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { ADMIN_SOCKET } from '../app.ts'
import { type Config, type LoadedConfig, loadConfig } from '../config/index.ts'
import { examine, type Finding, fail, ok, warn } from '../jobs/index.ts'
import { errorText } from '../lib/index.ts'
import { isDataFolder } from '../store/index.ts'
import { MasterKeyError } from '../vault/index.ts'
import { isServed } from './client.ts'
import { type CliContext, type Place, placeOf, show } from './context.ts'
import { counted } from './counted.ts'
import { CommandFailure, EXIT } from './exit.ts'
import { plain } from './table.ts'
import type { Terminal } from './terminal.ts'
import { withAdmin } from './with-admin.ts'

/** `doctor`: whether all is well with what a server stands on, and what to do where it is not; exit 1 when something fails. */
export function addDoctor(program: Command, context: CliContext): void {
  program
    .command('doctor')
    .description('whether everything it stands on is well, and what to do where not; exit 1 when something fails')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }, command: Command) => {
      const findings = await look(context, command)
      const isWell = findings.every(({ state }) => state !== 'fail')
      show(context, json, { ok: isWell, findings }, () => findingsText(findings))
      if (!isWell) context.exitCode = EXIT.failed
    })
}

const answerShape = z.object({
  findings: z.array(
    z.object({
      check: z.string(),
      subject: z.string().nullable(),
      state: z.enum(['ok', 'warn', 'fail']),
      message: z.string(),
      advice: z.string().nullable(),
    }),
  ),
})

type Found = z.output<typeof answerShape>['findings'][number]

/** First what this command sees itself; then what the server sees of the rest, or, when none runs, what is seen in its place. */
async function look(context: CliContext, command: Command): Promise<readonly Found[]> {
  const { terminal } = context
  const place = placeOf(command)
  const dataFolder = resolve(place.dataFolder)
  const loaded = await loadConfig(place.configPath, terminal.surroundings)
  const socket = await socketFinding(dataFolder, terminal)
  const own = [...configFindings(loaded, place, socket.isServed), socket.finding]
  const config = loaded.kind === 'config' ? loaded.config : null
  const isBegun = isDataFolder(dataFolder)
  if (!socket.isServed && (config === null || !isBegun || socket.finding.state === 'fail')) {
    const folder = isBegun || socket.finding.state === 'fail' ? [] : [noFolder(place)]
    return [...own, ...folder, ...(await fromHere(dataFolder, config, terminal))]
  }
  try {
    const answer = await withAdmin(context, command, (admin) => admin('POST', '/doctor'), 'needed', 'needed')
    return [...own, ...answerShape.parse(answer).findings]
  } catch (error) {
    return [...own, openFinding(error), ...(await fromHere(dataFolder, config, terminal))]
  }
}

const CONFIGURATION = { check: 'configuration', subject: null } as const
const NOTHING =
  'Set a key such as OPENAI_API_KEY, run anyrouter init, or name the file with --config; anyrouter --demo needs neither.'
const OTHER_ENVIRONMENT =
  'As this shell has it: a server that runs has an environment of its own, and read the file when it started or reloaded.'

function configFindings(loaded: LoadedConfig, { configPath }: Place, isServed: boolean): Finding[] {
  const what = configPath ?? 'no file: the defaults and the environment'
  if (loaded.kind === 'problems') {
    return loaded.problems.map(({ path, line, reason, suggestion }) => {
      const message = `${what}${line === null ? '' : `:${line}`}  ${path === '' ? '' : `${path}: `}${reason}`
      const advice = suggestion ?? "'anyrouter check' shows all of it."
      return isServed
        ? warn(CONFIGURATION, message, `${advice} ${OTHER_ENVIRONMENT}`)
        : fail(CONFIGURATION, message, advice)
    })
  }
  const { catalogue, presets } = loaded.config
  const counts = `${what}: ${counted(catalogue.backends.size, 'backend')}, ${counted(catalogue.models.size, 'model')}`
  const unusable = presets.flatMap(({ variable, state, reason }) =>
    state === 'unusable'
      ? [warn({ check: 'configuration', subject: variable }, reason ?? 'cannot be used', NOTHING)]
      : [],
  )
  return [catalogue.backends.size === 0 ? warn(CONFIGURATION, counts, NOTHING) : ok(CONFIGURATION, counts), ...unusable]
}

async function socketFinding(
  dataFolder: string,
  { clock }: Terminal,
): Promise<{ readonly finding: Finding; readonly isServed: boolean }> {
  const about = { check: 'socket', subject: null } as const
  try {
    if (await isServed(dataFolder, clock)) return { finding: ok(about, 'a server runs, and answers'), isServed: true }
  } catch (error) {
    const advice =
      error instanceof CommandFailure ? 'Look at its log, then restart it.' : 'Nothing was looked at in there.'
    return { finding: fail(about, errorText(error), advice), isServed: false }
  }
  const isLeft = existsSync(join(dataFolder, ADMIN_SOCKET))
  const finding = isLeft
    ? warn(about, 'no server runs; its last one was killed, or is about to start', "Start it: 'anyrouter serve'.")
    : ok(about, 'no server runs')
  return { finding, isServed: false }
}

function noFolder({ dataFolder }: Place): Finding {
  const advice = "The first start makes it: 'anyrouter serve'. If it is elsewhere, name the data folder with --data."
  const what = existsSync(dataFolder) ? 'no ledger in' : 'no'
  return warn({ check: 'folder', subject: null }, `there is ${what} ${dataFolder}`, advice)
}

/** Without the database: what a server would stand on. */
function fromHere(dataFolder: string, config: Config | null, { clock }: Terminal): Promise<Finding[]> {
  if (config === null) return Promise.resolve([])
  return examine({
    folder: existsSync(dataFolder) ? { path: dataFolder, store: null } : null,
    backends: config.catalogue.backends.values(),
    settings: config.agents,
    clock,
    exclusion: () => null,
    requestsInFlightMax: config.limits.requestsInFlightMax,
  })
}

/** The folder could not be opened, or its server went away. */
function openFinding(error: unknown): Finding {
  const message = errorText(error)
  if (error instanceof MasterKeyError)
    return fail({ check: 'folder', subject: 'master.key' }, message, 'Nothing starts before that is done.')
  return fail({ check: 'database', subject: null }, message, 'Nothing was looked at in there, or changed.')
}

const MARKS = { ok: 'ok', warn: 'warn', fail: 'FAIL' } as const
const MARK_WIDTH = 6

function findingsText(findings: readonly Found[]): string {
  const names = findings.map(({ check, subject }) => (subject === null ? check : `${check} ${plain(subject)}`))
  const width = Math.max(...names.map((name) => Bun.stringWidth(name)))
  const lines = findings.flatMap(({ state, message, advice }, at) => {
    const name = names[at] ?? ''
    const padding = ' '.repeat(width - Bun.stringWidth(name) + 2)
    const first = `${MARKS[state].padEnd(MARK_WIDTH)}${name}${padding}${plain(message)}\n`
    return advice === null ? [first] : [first, `${' '.repeat(MARK_WIDTH + width + 2)}${plain(advice)}\n`]
  })
  const count = (state: Found['state']): number => findings.filter((finding) => finding.state === state).length
  const sum = [`${count('ok')} well`, counted(count('warn'), 'warning'), counted(count('fail'), 'failure')].join(', ')
  return `${lines.join('')}\n${sum}\n`
}
