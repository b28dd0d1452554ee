import { existsSync, writeFileSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import { isModelName, KNOWN_PRESETS } from '../config/index.ts'
import { checkBaseUrl, errorText } from '../lib/index.ts'
import { type CliContext, CONFIG_FILE } from './context.ts'
import { CommandFailure } from './exit.ts'
import { type InitWish, initText } from './init-text.ts'
import { portOf } from './port-of.ts'
import { problemsOf } from './read-config.ts'
import type { Terminal } from './terminal.ts'

interface Flags {
  readonly port?: number
  readonly presets?: readonly string[]
  readonly local?: string
  readonly localModel?: string
  readonly force?: true
}

/** `init`: writes a commented configuration that `check` accepts. Asks on a terminal for what no flag says. */
export function addInit(program: Command, context: CliContext): void {
  program
    .command('init')
    .description(`write a commented configuration to begin with (${CONFIG_FILE}, or what --config names)`)
    .option('--port <number>', 'the port to listen on', portOf)
    .option('--presets <list>', `known providers, separated by commas: ${SERVED.join(', ')}, or none`, presetsOf)
    .option('--local <url>', 'the base URL of a server of your own: Ollama, vLLM, llama.cpp', urlOf)
    .option('--local-model <name>', 'the model that it serves', modelOf)
    .option('--force', 'write over a file that is there')
    .action(async (flags: Flags, command: Command) => {
      const { config = CONFIG_FILE } = command.optsWithGlobals<{ config?: string }>()
      if ((flags.local === undefined) !== (flags.localModel === undefined))
        command.error('error: --local and --local-model belong together')
      await init(config, flags, context.terminal)
    })
}

async function init(path: string, flags: Flags, terminal: Terminal): Promise<void> {
  if (existsSync(path) && flags.force !== true) {
    throw new CommandFailure(
      `${path} is there already, and stays as it is: --force writes over it, --config FILE writes elsewhere.`,
    )
  }
  const text = initText(await wishOf(flags, terminal))
  try {
    writeFileSync(path, text, { flag: flags.force === true ? 'w' : 'wx' })
  } catch (error) {
    throw new CommandFailure(`${path} cannot be written: ${errorText(error)}`)
  }
  const problems = await problemsOf(text, path, terminal)
  const missing = problems.flatMap(({ suggestion }) => (suggestion === null ? [] : [`  ${suggestion}\n`]))
  terminal.out(`wrote ${path}\n`)
  if (missing.length > 0) terminal.out(`It needs, before it can be used:\n${missing.join('')}`)
  const named = path === CONFIG_FILE ? '' : ` --config ${path}`
  terminal.out(`Next: ${terminal.program} check${named}, then ${terminal.program}${named}\n`)
}

const SERVED = KNOWN_PRESETS.map(({ id }) => id)
const PORT = 8080

async function wishOf({ port, presets, local, localModel }: Flags, terminal: Terminal): Promise<InitWish> {
  const found = KNOWN_PRESETS.filter(({ variable }) => isSet(variable, terminal))
  if (!terminal.isInTty || !terminal.isOutTty) {
    return { port: port ?? PORT, presets: presets ?? null, local: localOf(local, localModel) }
  }
  return {
    port: port ?? (await askUntil(terminal, `Port [${PORT}]: `, String(PORT), portOf)),
    presets: presets ?? (await askPresets(found, terminal)),
    local: localOf(local, localModel) ?? (await askLocal(terminal)),
  }
}

const isSet = (variable: string, { surroundings }: Terminal): boolean =>
  (surroundings.env[variable] ?? '').trim() !== ''

const localOf = (url: string | undefined, model: string | undefined): InitWish['local'] =>
  url === undefined || model === undefined ? null : { url, model }

async function askPresets(found: typeof KNOWN_PRESETS, terminal: Terminal): Promise<readonly string[] | null> {
  if (found.length === 0) {
    terminal.out('No key of a known provider is in the environment (OPENAI_API_KEY, GROQ_API_KEY, ...).\n')
    return null
  }
  const chosen: string[] = []
  for (const { id, name, variable } of found) {
    if (await askUntil(terminal, `${variable} is set: serve ${name}? [Y/n]: `, 'y', yesOf)) chosen.push(id)
  }
  return chosen
}

async function askLocal(terminal: Terminal): Promise<InitWish['local']> {
  const question =
    'A server of your own (Ollama: http://127.0.0.1:11434/v1; vLLM, llama.cpp)? Its base URL, or Enter for none: '
  const url = await askUntil(terminal, question, '', (text) => (text === '' ? '' : urlOf(text)))
  if (url === '') return null
  return { url, model: await askUntil(terminal, 'The model it serves, by its own name: ', '', modelOf) }
}

/** Asks again until the answer can be read. */
async function askUntil<T>(
  terminal: Terminal,
  question: string,
  byDefault: string,
  read: (text: string) => T,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    const answer = await terminal.ask(question)
    try {
      return read(answer === '' ? byDefault : answer)
    } catch (error) {
      if (!(error instanceof InvalidArgumentError) || tries >= TRIES_MAX) throw error
      terminal.out(`${error.message}\n`)
    }
  }
}

const TRIES_MAX = 10

function yesOf(text: string): boolean {
  if (/^y(es)?$/i.test(text)) return true
  if (/^no?$/i.test(text)) return false
  throw new InvalidArgumentError('Answer y or n.')
}

function presetsOf(text: string): readonly string[] {
  if (text === 'none') return []
  const ids = [...new Set(text.split(',').map((id) => id.trim()))]
  const unknown = ids.find((id) => !SERVED.includes(id))
  if (unknown !== undefined)
    throw new InvalidArgumentError(`There is no preset '${unknown}'. Known: ${SERVED.join(', ')}`)
  return ids
}

function urlOf(text: string): string {
  const url = checkBaseUrl(text)
  if (url.kind === 'url') return url.baseUrl
  throw new InvalidArgumentError(`The base URL ${url.reason}.${url.suggestion === null ? '' : ` ${url.suggestion}`}`)
}

function modelOf(text: string): string {
  if (isModelName(text)) return text
  throw new InvalidArgumentError('A model has a name of letters, digits and . _ : @ + / -')
}
