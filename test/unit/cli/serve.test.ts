import { describe, expect, test } from 'bun:test'
import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommandLine } from '../../../src/cli/index.ts'
import { type FakeTerminal, fakeTerminal } from '../../support/fake-terminal.ts'
import { runCommand } from '../../support/run-command.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { eventually } from '../../support/wire-chat.ts'

const END = 'Ctrl-C drains and stops.'
const QUIET = ['--log-level', 'error']

/** A command that serves, from its banner to its end by a signal. */
async function serving(words: readonly string[], until = END) {
  const terminal = fakeTerminal({ isTty: true })
  const code = runCommandLine(['serve', ...words, ...QUIET], terminal)
  await Promise.race([terminal.saying(until), code])
  return {
    terminal,
    async [Symbol.asyncDispose]() {
      await stop(terminal, code)
    },
    stop: () => stop(terminal, code),
  }
}

let stopped = new WeakSet<FakeTerminal>()

async function stop(terminal: FakeTerminal, code: Promise<number>): Promise<number> {
  if (!stopped.has(terminal)) terminal.signal('SIGINT')
  stopped = stopped.add(terminal)
  const answer = await code
  terminal.runExits()
  return answer
}

function freePort(): number {
  using server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') })
  return server.port ?? 0
}

const models = (port: number): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/v1/models`, { headers: { authorization: 'Bearer sk-ar-v1-demo' } })

const found = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? `no ${pattern}`
const numbers = (text: string): number[] => (text.match(/\d+\.\d+/g) ?? []).map((number) => Math.round(+number * 100))
const sum = (all: readonly number[]): number => all.reduce((one, other) => one + other, 0)

describe('--demo', () => {
  test('shows a request through the whole path; its times add up, its money too; then it stops clean', async () => {
    const demo = await serving(['--demo', '--port', '0'])
    const { said } = demo.terminal
    expect(said).toContain('    200  "Hello from north. I am a simulated provider."\n')
    const gw = /gw (\S+) ms {2}\((.*)\)/.exec(said)
    expect(sum(numbers(gw?.[2] ?? ''))).toBe(Math.round(Number(gw?.[1]) * 100))
    const parts = /upstream (\S+) ms \(north, new connection\) {3}post (\S+) ms {3}total (\S+) ms/.exec(said)
    const [upstream = 0, post = 0, total = -1] = numbers(parts?.slice(1).join(' ') ?? '')
    expect(Math.round(Number(gw?.[1]) * 100) + upstream + post).toBe(total)
    expect(said).toContain('    charged $0.00000735 (9 in, 10 out; held $0.00245805)    balance $4.99999265\n')
    expect(said).toMatch(/ {4}again, on the kept connection: total \d+\.\d\d ms\n/)

    const dataFolder = found(said, /data in (\S+) \(removed at exit\)/)
    expect(existsSync(join(dataFolder, 'ledger.db'))).toBe(true)
    expect(await demo.stop()).toBe(0)
    expect(demo.terminal.said).toMatch(
      /draining: (?:nothing|1 request) in progress … done \(\d+\.\d s\)\. 2 requests settled, ledger verified, 0 open holds\.\n$/,
    )
    expect(existsSync(dataFolder)).toBe(false)
  })

  test('knows its key from the first request on', async () => {
    const port = freePort()
    const terminal = fakeTerminal({ isTty: true })
    const code = runCommandLine(['serve', '--demo', '--port', String(port), ...QUIET], terminal)
    const first = await eventually(() => models(port).catch(() => undefined))
    expect(first.status).toBe(200)
    await terminal.saying(END)
    expect(await stop(terminal, code)).toBe(0)
  })

  test('takes the next free port, and says so', async () => {
    using taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') })
    await using demo = await serving(['--demo', '--port', String(taken.port)])
    const port = Number(found(demo.terminal.said, /API {7}http:\/\/127\.0\.0\.1:(\d+)\/v1/))
    expect(port).toBeGreaterThan(taken.port ?? 0)
    expect(demo.terminal.complained).toBe(`port ${taken.port} is taken: using ${port}\n`)
  })
})

describe('serve', () => {
  test('--announce: one JSON line, and nothing else, to the end', async () => {
    using data = temporaryFolder()
    const server = await serving(['--data', data.path, '--port', '0', '--announce'], '\n')
    const { event, port, pid } = JSON.parse(server.terminal.said)
    expect({ event, pid }).toEqual({ event: 'listening', pid: 4242 })
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
    expect(await server.stop()).toBe(0)
    expect(server.terminal.said).toBe(`${JSON.stringify({ event, port, pid })}\n`)
  })

  test('commands reach it through its socket, and say nothing of the folder', async () => {
    using data = temporaryFolder()
    await using _server = await serving(['--data', data.path, '--port', '0'])
    const place = ['--data', data.path]
    expect(await runCommand(['accounts', 'create', '--name', 'team', ...place])).toMatchObject({
      code: 0,
      complained: '',
    })
    expect(await runCommand(['credits', 'add', '--account', 'team', '--usd', '5', ...place])).toMatchObject({ code: 0 })
    expect((await runCommand(['accounts', 'show', 'team', ...place])).said).toMatch(/^available +\$5\.00$/m)
    expect(await runCommand(['accounts', 'show', 'nobody', ...place])).toEqual({
      code: 1,
      said: '',
      complained: "anyrouter: There is no account 'nobody'.\n",
    })
    expect(await runCommand(['ledger', 'verify', ...place])).toEqual({
      code: 0,
      said: 'ledger verified: 2 accounts, 1 entry, 0 settlements, 0 open holds, balances sum to $5.00.\n',
      complained: '',
    })
  })

  test('SIGHUP and `reload` read the configuration again; a bad one changes nothing and is told', async () => {
    using data = temporaryFolder()
    const path = join(data.path, 'anyrouter.yaml')
    const place = ['--data', join(data.path, 'data')]
    writeFileSync(path, 'routing: { queue_ms: 1 }\n')
    await using server = await serving(['--config', path, ...place, '--port', '0'])
    writeFileSync(path, 'routing: { queue_ms: 2 }\nserver: { port: 9 }\n')
    expect(await runCommand(['reload', ...place])).toEqual({
      code: 0,
      said: 'configuration read again: catalogue 2\n  settings changed: routing.queue_ms\n',
      complained: '',
    })
    writeFileSync(path, 'routing: { queue_s: 2 }\n')
    const refused = await runCommand(['reload', ...place])
    expect({ code: refused.code, said: refused.said }).toEqual({ code: 1, said: '' })
    expect(refused.complained).toStartWith(
      `anyrouter: The configuration cannot be used, nothing has changed:\n${path}:1:12  routing.queue_s\n`,
    )
    writeFileSync(path, ' \n') // an editor on a full disk leaves this
    const emptied = await runCommand(['reload', ...place])
    expect({ code: emptied.code, said: emptied.said }).toEqual({ code: 1, said: '' })
    expect(emptied.complained).toContain(`${path}\n  the file is empty\n`)
    writeFileSync(path, 'routing: { queue_ms: 3 }\n')
    server.terminal.signal('SIGHUP')
    await server.terminal.saying('catalogue 3\n  settings changed: routing.queue_ms\n')
    expect(JSON.parse((await runCommand(['reload', '--json', ...place])).said)).toMatchObject({ catalogue_version: 4 })

    const offer = '{ offers: [{ backend: b }] }'
    const models = Array.from({ length: 10 }, (_, at) => `m${at}: ${offer}`).join(', ')
    writeFileSync(path, `providers: { a: { backends: { b: { url: "http://127.0.0.1:9" } } } }\nmodels: { ${models} }\n`)
    expect((await runCommand(['reload', ...place])).said).toContain(
      '  models added: m0, m1, m2, m3, m4, m5, m6, m7 and 2 more\n',
    )
  })

  test('a data folder that is a file is told as one', async () => {
    using data = temporaryFolder()
    const path = join(data.path, 'file')
    writeFileSync(path, '')
    const { code, complained } = await runCommand(['serve', '--data', path, '--port', '0'])
    expect({ code, complained }).toEqual({
      code: 1,
      complained: `anyrouter: ${path} is no folder: name another with --data FOLDER.\n`,
    })
  })

  test('a link to nowhere is no data folder', async () => {
    using data = temporaryFolder()
    const path = join(data.path, 'link')
    symlinkSync(join(data.path, 'nowhere'), path)
    for (const words of [
      ['serve', '--data', path, '--port', '0'],
      ['accounts', 'create', '--name', 'a', '--data', path],
    ]) {
      const { code, complained } = await runCommand(words)
      expect({ code, complained }).toEqual({
        code: 1,
        complained: `anyrouter: ${path} is no folder: name another with --data FOLDER.\n`,
      })
    }
  })

  test('a full disk behind stdout keeps it from nothing: it is told on stderr, and the stop is clean', async () => {
    using data = temporaryFolder()
    const terminal = fakeTerminal()
    terminal.out = () => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    }
    const code = runCommandLine(['serve', '--data', data.path, '--port', '0', ...QUIET], terminal)
    await eventually(async () => existsSync(join(data.path, 'admin.sock')) || undefined)
    terminal.signal('SIGTERM')
    expect(await code).toBe(0)
    expect(terminal.complained).toContain('what the server says is lost: ENOSPC')
    expect(existsSync(join(data.path, 'admin.sock'))).toBe(false)
  })

  test('`reload` without a server: exit 1, and it says why', async () => {
    using data = temporaryFolder()
    expect(await runCommand(['reload', '--data', data.path])).toEqual({
      code: 1,
      said: '',
      complained: expect.stringContaining('it reads its configuration when it starts'),
    })
  })

  test('a taken port: exit 1, and it names --port', async () => {
    using data = temporaryFolder()
    using taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') })
    const { code, said, complained } = await runCommand([
      'serve',
      '--data',
      data.path,
      '--port',
      String(taken.port),
      ...QUIET,
    ])
    expect({ code, said }).toEqual({ code: 1, said: '' })
    expect(complained).toBe(
      `anyrouter: port ${taken.port} is taken: choose another with --port N (0 takes a free one).\n`,
    )
  })

  test('a host that is not this machine’s: exit 1, and it names --host', async () => {
    using data = temporaryFolder()
    const { code, complained } = await runCommand([
      'serve',
      '--data',
      data.path,
      '--host',
      '192.0.2.1',
      '--port',
      '0',
      ...QUIET,
    ])
    expect(code).toBe(1)
    expect(complained).toContain('--host ADDRESS')
  })

  test('a locked folder: exit 1 with what to do; so does a command when nobody answers on the socket', async () => {
    using data = temporaryFolder()
    await using _server = await serving(['--data', data.path, '--port', '0'])
    const second = await runCommand(['serve', '--data', data.path, '--port', '0', ...QUIET])
    expect({ code: second.code, said: second.said }).toEqual({ code: 1, said: '' })
    expect(second.complained).toContain('is in use by another anyrouter. Stop that one, or name another folder')

    rmSync(join(data.path, 'admin.sock'))
    const command = await runCommand(['accounts', 'create', '--name', 'team', '--data', data.path])
    expect({ code: command.code, said: command.said }).toEqual({ code: 1, said: '' })
    expect(command.complained).toContain('Nothing was done')
  })
})
