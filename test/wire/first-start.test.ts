import { expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { executable } from '../support/run-gateway.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const COMMAND = executable === null ? [process.execPath, join(import.meta.dir, '../../src/main.ts')] : [executable]
const END = 'Ctrl-C drains and stops.'

type Env = Readonly<Record<string, string>>

function start(cwd: string, words: readonly string[], env: Env) {
  return Bun.spawn([...COMMAND, ...words], { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
}

async function run(cwd: string, words: readonly string[], env: Env = {}) {
  const child = start(cwd, words, env)
  const [said, complained] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, said, complained }
}

/** A server with its banner; disposed of as an operator ends it. */
async function serve(cwd: string, words: readonly string[], env: Env = {}) {
  const child = start(cwd, [...words, '--port', '0'], env)
  const logs = child.stderr.text()
  const reader = child.stdout.getReader()
  let said = ''
  while (!said.includes(END)) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`ended before its banner: ${said}${await logs}`)
    said += new TextDecoder().decode(value)
  }
  return {
    said,
    async stop(): Promise<number> {
      child.kill('SIGTERM')
      for (let piece = await reader.read(); !piece.done; piece = await reader.read())
        said += new TextDecoder().decode(piece.value)
      expect(said).toContain('ledger verified, 0 open holds.')
      return child.exited
    },
  }
}

const found = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? `no ${pattern} in ${text}`
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

async function shell(command: string): Promise<unknown> {
  const child = Bun.spawn(['sh', '-c', command], { stdout: 'pipe', stderr: 'ignore' })
  return JSON.parse(await child.stdout.text())
}

test('an empty folder: from init to an answer, by the curl line that is printed', async () => {
  using folder = temporaryFolder()
  await using provider = await scriptedProvider()
  provider.script(completion('hello', 1, 1))
  const local = ['--local', `${provider.origin}/v1`, '--local-model', 'small', '--presets', 'none']
  expect(await run(folder.path, ['init', ...local])).toMatchObject({ code: 0, complained: '' })
  const check = await run(folder.path, ['check'])
  expect(check).toMatchObject({ code: 0, complained: '' })
  expect(check.said).toContain('anyrouter.yaml can be used: listens on 127.0.0.1:8080, 1 backend, 1 model.')

  const server = await serve(folder.path, [])
  const keys = join(folder.path, 'anyrouter-data/first-keys.txt')
  expect([join(folder.path, 'anyrouter-data'), keys].map(modeOf)).toEqual(['700', '600'])
  const secrets = readFileSync(keys, 'utf8').match(/(sk-ar-v1-\w{43}|ak_\w+)$/gm)
  expect(secrets).toHaveLength(2)
  for (const secret of secrets ?? []) expect(server.said).not.toContain(secret)
  expect(await shell(found(server.said, /^ {4}(curl (?:.*\\\n)*.*)$/m))).toMatchObject({
    choices: [{ message: { content: 'hello' } }],
  })
  expect(await server.stop()).toBe(0)
}, 60_000)

test('a key in the environment is enough to be ready; the key itself is nowhere', async () => {
  using folder = temporaryFolder()
  const server = await serve(folder.path, [], { OPENAI_API_KEY: 'sk-canary-openai' })
  expect(server.said).toMatch(/Found {5}OPENAI_API_KEY +OpenAI: \d+ models/)
  const origin = found(server.said, /API {7}(\S+)\/v1/)
  expect((await fetch(`${origin}/readyz`)).status).toBe(200)
  const key = found(readFileSync(join(folder.path, 'anyrouter-data/first-keys.txt'), 'utf8'), /^API key: (.*)$/m)
  const models = await fetch(`${origin}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  expect(await models.text()).toContain('"openai/gpt-4o-mini"')
  expect(await server.stop()).toBe(0)
  expect(server.said).not.toContain('canary')
}, 60_000)

test('a taken port: exit 1 with what to do, and no folder', async () => {
  using folder = temporaryFolder()
  using taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') })
  const { code, said, complained } = await run(folder.path, ['--port', String(taken.port)])
  expect({ code, said }).toEqual({ code: 1, said: '' })
  expect(complained).toBe(
    `anyrouter: port ${taken.port} is taken: choose another with --port N (0 takes a free one).\n`,
  )
  expect(existsSync(join(folder.path, 'anyrouter-data'))).toBe(false)
})

test('a configuration that is none: exit 1 with path, line, column, reason and suggestion; nothing is made', async () => {
  using folder = temporaryFolder()
  const twice = "anyrouter.yaml:3:3  server.port\n  'port' is given twice (first on line 2)\n  -> Keep one of them."
  for (const [content, words, expected] of [
    ['server:\n  port: 1\n  port: 2\n', ['check'], twice],
    ['server:\n  port: 1\n  port: 2\n', ['serve', '--port', '0'], twice],
    [new Uint8Array(10_000_000).fill(0x80), ['check'], 'anyrouter.yaml\n  the file is larger than 2 MB'],
  ] as const) {
    writeFileSync(join(folder.path, 'anyrouter.yaml'), content)
    const { code, said, complained } = await run(folder.path, words)
    expect({ code, said }).toEqual({ code: 1, said: '' })
    expect(complained).toContain(expected)
    expect(complained.length).toBeLessThan(1000)
  }
  expect(existsSync(join(folder.path, 'anyrouter-data'))).toBe(false)
}, 60_000)
