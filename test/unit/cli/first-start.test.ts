import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommandLine } from '../../../src/cli/index.ts'
import { fakeTerminal } from '../../support/fake-terminal.ts'
import { scriptedProvider } from '../../support/scripted-provider.ts'
import { completion } from '../../support/sse.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const END = 'Ctrl-C drains and stops.'

async function serving(words: readonly string[], options: Parameters<typeof fakeTerminal>[0] = {}) {
  const terminal = fakeTerminal(options)
  const code = runCommandLine(['serve', '--port', '0', '--log-level', 'error', ...words], terminal)
  await Promise.race([terminal.saying(END), code])
  return {
    said: terminal.said,
    async [Symbol.asyncDispose]() {
      terminal.signal('SIGINT')
      expect(await code).toBe(0)
    },
  }
}

const found = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? `no ${pattern} in ${text}`
const originIn = (said: string): string => found(said, /API {7}(\S+)\/v1/)
/** From `curl` to the end of the command, over its continued lines. */
const curlIn = (said: string): string => found(said, /^ {4}(curl (?:.*\\\n)*.*)$/m)

async function shell(command: string) {
  const child = Bun.spawn(['sh', '-c', `${command} -sS -w '\n%{http_code}'`], { stdout: 'pipe', stderr: 'pipe' })
  const [said, complained] = await Promise.all([child.stdout.text(), child.stderr.text()])
  expect([await child.exited, complained]).toEqual([0, ''])
  const at = said.lastIndexOf('\n')
  const body: unknown = JSON.parse(said.slice(0, at))
  return { status: Number(said.slice(at + 1)), body }
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

function configFor(home: string, origin: string): string {
  const path = join(home, 'my.yaml')
  const offer = '{ offers: [{ backend: b }] }'
  writeFileSync(path, `providers: { p: { backends: { b: { url: "${origin}/v1" } } } }\nmodels: { small: ${offer} }\n`)
  return path
}

describe('on a terminal', () => {
  test('tells both keys once; the curl line is answered; the second start tells none', async () => {
    using home = temporaryFolder()
    await using provider = await scriptedProvider()
    provider.script(completion('hello', 1, 1))
    const place = ['--data', join(home.path, 'data'), '--config', configFor(home.path, provider.origin)]
    {
      await using server = await serving(place, { isTty: true })
      expect(server.said).toMatch(/^anyrouter \S+ {3}first start$/m)
      expect(server.said).toMatch(/^ {2}Swagger {3}http:\/\/127\.0\.0\.1:\d+\/swagger/m)
      expect(server.said).toContain('only this machine reaches it: --host 0.0.0.0 opens it')
      expect(await shell(curlIn(server.said))).toMatchObject({
        status: 200,
        body: { choices: [{ message: { content: 'hello' } }] },
      })
      const admin = found(server.said, /(ak_\w+)/)
      const headers = { authorization: `Bearer ${admin}` }
      const accounts = await fetch(`${originIn(server.said)}/admin/v1/accounts`, { headers })
      expect([accounts.status, await accounts.json()]).toMatchObject([
        200,
        { data: [{ name: 'default', kind: 'unmetered' }] },
      ])
      const swagger = await fetch(`${originIn(server.said)}/swagger`)
      expect([swagger.status, swagger.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')])
      expect(existsSync(join(home.path, 'data/first-keys.txt'))).toBe(false)
    }
    await using again = await serving(place, { isTty: true })
    expect(again.said).not.toMatch(/sk-ar-v1-|ak_|first start|curl/)
  }, 60_000)
})

describe('without one', () => {
  test('the keys are in a file of their own, 0600, in a folder 0700; the curl line reads it', async () => {
    using home = temporaryFolder()
    await using provider = await scriptedProvider()
    provider.script(completion('hello', 1, 1))
    const data = join(home.path, "o'data")
    await using server = await serving(['--data', data, '--config', configFor(home.path, provider.origin)])
    const file = join(data, 'first-keys.txt')
    expect(server.said).toContain(file)
    expect(server.said).not.toMatch(/sk-ar-v1-\w|ak_\w/)
    expect([data, file, join(data, 'master.key')].map(modeOf)).toEqual(['700', '600', '600'])
    expect(readFileSync(file, 'utf8')).toMatch(/^API key: sk-ar-v1-\w{43}\nmanagement key: ak_\w+\n$/m)
    expect((await shell(curlIn(server.said))).status).toBe(200)
  }, 60_000)

  test('a folder that has an account is not new', async () => {
    using home = temporaryFolder()
    const data = ['--data', join(home.path, 'data')]
    expect(await runCommandLine(['accounts', 'create', '--name', 'team', ...data], fakeTerminal())).toBe(0)
    await using server = await serving(data)
    expect(server.said).not.toContain('first start')
  }, 60_000)
})

describe('nothing configured', () => {
  test('starts, is not ready, and names three ways on; its curl line works too', async () => {
    using home = temporaryFolder()
    await using server = await serving(['--data', join(home.path, 'data')], { isTty: true })
    for (const way of ['OPENAI_API_KEY=... anyrouter', 'anyrouter init', 'anyrouter --demo'])
      expect(server.said).toContain(way)
    const ready = await fetch(`${originIn(server.said)}/readyz`)
    expect(ready.status).toBe(503)
    const reason = await ready.text()
    for (const way of ['OPENAI_API_KEY', 'anyrouter init', '--demo']) expect(reason).toContain(way)
    expect(await shell(curlIn(server.said))).toEqual({ status: 200, body: { object: 'list', data: [] } })
  }, 60_000)
})

describe('keys of providers in the environment', () => {
  test('are announced, never shown, and a small model of theirs is in the curl line', async () => {
    using home = temporaryFolder()
    const env = { OPENAI_API_KEY: 'sk-openai-canary', ANTHROPIC_API_KEY: 'sk-ant-canary', GROQ_API_KEY: 'with space' }
    await using server = await serving(['--data', join(home.path, 'data')], { env, isTty: true })
    expect(server.said).toMatch(/^ {2}Found {5}OPENAI_API_KEY +OpenAI: \d\d models$/m)
    expect(server.said).toMatch(
      /^ {12}GROQ_API_KEY +Groq: not used, the secret in the environment variable GROQ_API_KEY has spaces/m,
    )
    expect(server.said).toMatch(/^ {12}ANTHROPIC_API_KEY +Anthropic: \d\d models$/m)
    expect(curlIn(server.said)).toContain('"model":"openai/gpt-4o-mini"')
    expect(server.said).not.toMatch(/canary|with space/)
    expect((await fetch(`${originIn(server.said)}/readyz`)).status).toBe(200)
  }, 60_000)

  test('one that speaks Anthropic’s dialect alone is asked in it', async () => {
    using home = temporaryFolder()
    const env = { ANTHROPIC_API_KEY: 'sk-ant-canary' }
    await using server = await serving(['--data', join(home.path, 'data')], { env, isTty: true })
    const curl = curlIn(server.said)
    expect(curl).toContain('/v1/messages ')
    expect(curl).toContain(
      '"model":"anthropic/claude-haiku-4-5","messages":[{"role":"user","content":"Hello"}],"max_tokens":',
    )
  }, 60_000)
})

test('a taken port leaves nothing behind, and says what to do; so does a folder that is there and empty', async () => {
  using home = temporaryFolder()
  using taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') })
  const data = join(home.path, 'data')
  const start = async (path: string) => {
    const terminal = fakeTerminal()
    const code = await runCommandLine(['serve', '--data', path, '--port', String(taken.port)], terminal)
    return { code, said: terminal.said, complained: terminal.complained }
  }
  expect(await start(data)).toMatchObject({
    code: 1,
    said: '',
    complained: `anyrouter: port ${taken.port} is taken: choose another with --port N (0 takes a free one).\n`,
  })
  expect(existsSync(data)).toBe(false)
  expect((await start(home.path)).code).toBe(1)
  expect([...new Bun.Glob('**').scanSync({ cwd: home.path, dot: true })]).toEqual([])
})
