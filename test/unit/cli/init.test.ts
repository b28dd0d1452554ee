import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { loadConfig, type PresetState, systemSurroundings } from '../../../src/config/index.ts'
import type { FakeTerminalOptions } from '../../support/fake-terminal.ts'
import { runCommand } from '../../support/run-command.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const KEYS = { OPENAI_API_KEY: 'sk-openai-canary', GROQ_API_KEY: 'gsk-canary' }

function place() {
  const folder = temporaryFolder()
  return { path: folder.at('anyrouter.yaml'), [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

const init = (path: string, words: readonly string[] = [], options: FakeTerminalOptions = {}) =>
  runCommand(['init', '--config', path, ...words], options)

/** What `check` says of it, and what it means. */
async function meaning(path: string, env: Record<string, string> = KEYS) {
  expect(await runCommand(['check', '--config', path], { env })).toMatchObject({ code: 0 })
  const loaded = await loadConfig(path, { ...systemSurroundings(), env })
  if (loaded.kind === 'problems') throw new Error(JSON.stringify(loaded.problems))
  return loaded.config
}

const on = (states: readonly PresetState[]) => states.map(({ id, state }) => `${id} ${state}`)

describe('without a terminal', () => {
  test('writes what check accepts: all that is in the environment, and no secret', async () => {
    using home = place()
    const { code, said } = await init(home.path, [], { env: KEYS })
    expect(code).toBe(0)
    expect(said).toBe(
      `wrote ${home.path}\nNext: anyrouter check --config ${home.path}, then anyrouter --config ${home.path}\n`,
    )
    expect(readFileSync(home.path, 'utf8')).not.toContain('canary')
    expect(on((await meaning(home.path)).presets)).toEqual(['openai on', 'groq on'])
    expect((await meaning(home.path, {})).catalogue.models.size).toBe(0)
  })

  test('flags say the same as answers: port, providers, a server of one’s own', async () => {
    using home = place()
    const local = ['--local', 'http://127.0.0.1:11434/v1/', '--local-model', 'llama3.2:3b']
    await init(home.path, ['--port', '9999', '--presets', 'groq', ...local], { env: KEYS })
    const { server, presets, catalogue } = await meaning(home.path)
    expect(server.port).toBe(9999)
    expect(on(presets)).toEqual(['groq on'])
    expect(catalogue.models.get('llama3.2:3b')?.offers[0]?.backend.baseUrl).toBe('http://127.0.0.1:11434/v1')
  })

  test('none of the known providers', async () => {
    using home = place()
    await init(home.path, ['--presets', 'none'], { env: KEYS })
    expect((await meaning(home.path)).presets).toEqual([])
  })

  test('a key that is still missing is told', async () => {
    using home = place()
    const { code, said } = await init(home.path, ['--presets', 'openai,mistral'], { env: KEYS })
    expect(code).toBe(0)
    expect(said).toContain('It needs, before it can be used:\n  export MISTRAL_API_KEY=…\n')
    expect(on((await meaning(home.path, { ...KEYS, MISTRAL_API_KEY: 'x' })).presets)).toEqual([
      'openai on',
      'mistral on',
    ])
  })

  test('never writes over a file, but with --force', async () => {
    using home = place()
    writeFileSync(home.path, 'server: { port: 1 }\n')
    const refused = await init(home.path)
    expect(refused).toMatchObject({ code: 1, said: '' })
    expect(refused.complained).toContain('is there already, and stays as it is: --force writes over it')
    expect(readFileSync(home.path, 'utf8')).toBe('server: { port: 1 }\n')
    expect((await init(home.path, ['--force'])).code).toBe(0)
    expect((await meaning(home.path)).server.port).toBe(8080)
  })

  test('a place that cannot be written: exit 1 with the reason', async () => {
    const { code, complained } = await init('/nowhere/at/all/anyrouter.yaml')
    expect(code).toBe(1)
    expect(complained).toContain('/nowhere/at/all/anyrouter.yaml cannot be written: ENOENT')
  })

  test.each([
    [['--port', 'x'], 'A port is a number from 0 to 65535.'],
    [['--presets', 'opnai'], "There is no preset 'opnai'. Known: openai, openrouter, groq"],
    [['--presets', 'anthropc'], "There is no preset 'anthropc'"],
    [['--local', '127.0.0.1:11434/v1', '--local-model', 'm'], 'Write it as https://127.0.0.1:11434/v1'],
    [['--local', 'http://h/v1'], '--local and --local-model belong together'],
    [['--local', 'http://h/v1', '--local-model', 'a "b"'], 'A model has a name of letters, digits'],
  ])('%p is wrong usage, and writes nothing', async (words, complaint) => {
    using home = place()
    const { code, complained } = await init(home.path, words, { env: KEYS })
    expect(code).toBe(2)
    expect(complained).toContain(complaint)
    await expect(Bun.file(home.path).exists()).resolves.toBe(false)
  })
})

describe('on a terminal', () => {
  test('asks for the port, each key that was found, and a server of one’s own', async () => {
    using home = place()
    const answers = ['9000', '', 'n', 'http://127.0.0.1:11434/v1', 'llama3.2']
    const { said } = await init(home.path, [], { env: KEYS, isTty: true, answers })
    expect(said).toContain('Port [8080]: ')
    expect(said).toContain('OPENAI_API_KEY is set: serve OpenAI? [Y/n]: ')
    expect(said).toContain('GROQ_API_KEY is set: serve Groq? [Y/n]: ')
    const { server, presets, catalogue } = await meaning(home.path)
    expect([server.port, on(presets)]).toEqual([9000, ['openai on']])
    expect(catalogue.backends.has('local')).toBe(true)
  })

  test('asks again for what cannot be read; Enter takes the default', async () => {
    using home = place()
    const answers = ['eighty', '', 'maybe', 'y', 'ollama', '']
    const { code, said } = await init(home.path, [], { env: { GROQ_API_KEY: 'g' }, isTty: true, answers })
    expect(code).toBe(0)
    expect(said).toContain('A port is a number from 0 to 65535.\n')
    expect(said).toContain('Answer y or n.\n')
    expect(said).toContain('The base URL is not a URL. Write it as https://ollama\n')
    expect((await meaning(home.path)).server.port).toBe(8080)
  })

  test('what a flag says is not asked', async () => {
    using home = place()
    const { code } = await init(home.path, ['--port', '1', '--presets', 'none'], {
      env: KEYS,
      isTty: true,
      answers: [''],
    })
    expect(code).toBe(0)
    expect((await meaning(home.path)).server.port).toBe(1)
  })
})
