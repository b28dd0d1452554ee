import { describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startGateway } from '../support/gateway.ts'
import { runCommand } from '../support/run-command.ts'
import { json, refuse } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Finding {
  readonly check: string
  readonly subject: string | null
  readonly state: string
  readonly message: string
  readonly advice: string | null
}

const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCommand(['doctor', ...words], { env })

async function findingsOf(words: readonly string[]) {
  const { code, said, complained } = await run([...words, '--json'])
  if (said === '') throw new Error(complained)
  const { ok, findings }: { ok: boolean; findings: Finding[] } = JSON.parse(said)
  expect(ok).toBe(code === 0)
  const of = (check: string) => findings.filter((finding) => finding.check === check)
  return { code, findings, of }
}

const MODELS = json({ object: 'list', data: [] })
const REFUSED = json(401, {
  error: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' },
})

/** A folder for a configuration and data, gone afterwards. */
function home(config: string) {
  const folder = temporaryFolder()
  const file = folder.at('anyrouter.yaml')
  const data = folder.at('data')
  writeFileSync(file, config)
  return {
    file,
    data,
    place: ['--data', data, '--config', file],
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

const backendAt = (url: string): string =>
  `providers: { p: { backends: { b0: { url: "${url}" } } } }\nmodels: { m1: { offers: [{ backend: b0 }] } }\n`

describe('beside a server', () => {
  test('all that it stands on, as the server sees it: exit 0', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    provider.script(REFUSED, MODELS)
    const { code, of, findings } = await findingsOf(['--data', gateway.dataFolder, '--config', gateway.configPath])
    expect(findings.filter(({ state }) => state === 'fail')).toEqual([])
    expect(code).toBe(0)
    expect(findings.map(({ check, subject }) => `${check} ${subject ?? ''}`.trim())).toEqual([
      'configuration',
      'socket',
      'folder',
      'disk space',
      'disk sync',
      'descriptors',
      'database',
      'ledger',
      'usage',
      'clock',
      'backend b0',
      'credential b0/main',
    ])
    expect(of('socket')).toMatchObject([{ state: 'ok', message: 'a server runs, and answers' }])
    expect(of('ledger')).toMatchObject([{ state: 'ok', message: expect.stringContaining('accounts 1') }])
    expect(of('credential')).toMatchObject([{ state: 'ok', message: 'taken' }])
    expect(provider.requests.map(({ target }) => target)).toEqual(['/v1/models', '/v1/models'])
    const { body } = await gateway.admin('GET', '/slots')
    expect(body.data).toEqual([]) // its own agents were not used: nothing of theirs is taken or kept
  })

  test('a dead backend, a wrong credential and one that is out: exit 1, with what to do', async () => {
    await using dead = await scriptedProvider()
    await using wrong = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider: dead }, { provider: wrong }] } })
    dead.script(refuse())
    wrong.script(REFUSED)
    expect((await gateway.admin('PUT', '/quarantine/b1', { reason: 'maintenance' })).status).toBe(200)
    const { code, said } = await run(['--data', gateway.dataFolder, '--config', gateway.configPath])
    expect(code).toBe(1)
    expect(said).toMatch(
      /^FAIL {2}backend b0 +http:\S+: connect: ECONNREFUSED: .*\n +Nothing listens there: is it running/m,
    )
    expect(said).toMatch(
      /^FAIL {2}credential b1\/main +refused with 401: Incorrect API key provided\.\n +Put a good secret/m,
    )
    expect(said).toMatch(/^warn {2}backend b1 +quarantined \(operator\): maintenance$/m)
    expect(said).toMatch(/\n\d+ well, \d+ warnings?, 2 failures\n$/)
  })

  test('a configuration that only this shell cannot read is a warning', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    provider.script(MODELS)
    using other = home(
      'providers: { p: { credentials: [{ id: main, env: NOT_HERE }], backends: { b0: { url: "http://127.0.0.1:9/v1" } } } }\n',
    )
    const { code, of } = await findingsOf(['--data', gateway.dataFolder, '--config', other.file])
    expect(code).toBe(0)
    expect(of('configuration')).toMatchObject([
      {
        state: 'warn',
        message: expect.stringContaining('NOT_HERE is not set'),
        advice: expect.stringContaining('environment of its own'),
      },
    ])
    expect(of('backend')).toMatchObject([{ subject: 'b0', state: 'ok' }])
  })
})

describe('without a server', () => {
  test('the folder itself is opened, and freed again', async () => {
    await using provider = await scriptedProvider()
    provider.script(MODELS)
    using here = home(backendAt(provider.baseUrl))
    expect(await runCommand(['accounts', 'create', '--name', 'team', ...here.place])).toMatchObject({ code: 0 })
    for (let time = 0; time < 2; time++) {
      const { code, of } = await findingsOf(here.place)
      expect(code).toBe(0)
      expect(of('socket')).toMatchObject([{ state: 'ok', message: 'no server runs' }])
      expect(of('database')).toMatchObject([{ state: 'ok' }])
      expect(of('backend')).toMatchObject([{ state: 'ok' }])
    }
  })

  test('and without a folder: backends all the same, and none is made', async () => {
    await using provider = await scriptedProvider()
    provider.script(MODELS)
    using here = home(backendAt(provider.baseUrl))
    for (let time = 0; time < 2; time++) {
      const { code, of } = await findingsOf(here.place)
      expect(code).toBe(0)
      expect(of('folder')).toMatchObject([{ state: 'warn', advice: expect.stringContaining('--data') }])
      expect(of('database')).toEqual([])
      expect(of('backend')).toMatchObject([{ state: 'ok' }])
    }
  })

  test('a configuration that cannot be used fails with its place; nothing configured is a warning', async () => {
    using bad = home('server: { prot: 1 }\n')
    const { code, of } = await findingsOf(bad.place)
    expect(code).toBe(1)
    expect(of('configuration')).toMatchObject([
      { state: 'fail', message: expect.stringContaining(`${bad.file}:1`), advice: expect.stringContaining('port') },
    ])
    using empty = home('presets: off\n')
    expect((await findingsOf(empty.place)).of('configuration')).toMatchObject([
      { state: 'warn', message: expect.stringContaining('0 backends') },
    ])
  })

  test('an open master key, a torn database: told, and the rest is looked at', async () => {
    await using provider = await scriptedProvider()
    provider.script(MODELS)
    using here = home(backendAt(provider.baseUrl))
    expect(await runCommand(['accounts', 'create', '--name', 'team', ...here.place])).toMatchObject({ code: 0 })
    chmodSync(join(here.data, 'master.key'), 0o644)
    const open = await findingsOf(here.place)
    expect(open.code).toBe(1)
    expect(open.of('folder').filter(({ state }) => state === 'fail')).toMatchObject([
      { subject: 'master.key', message: expect.stringContaining('open to others') },
      { subject: 'master.key', message: expect.stringContaining('mode 0644') },
    ])
    expect(open.of('backend')).toMatchObject([{ state: 'ok' }])

    chmodSync(join(here.data, 'master.key'), 0o600)
    writeFileSync(join(here.data, 'ledger.db'), 'no database at all '.repeat(1000))
    const torn = await findingsOf(here.place)
    expect(torn.code).toBe(1)
    expect(torn.of('database')).toMatchObject([{ state: 'fail', message: expect.stringContaining('ledger.db') }])
    expect(torn.of('backend')).toMatchObject([{ state: 'ok' }])
  })
})
