import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { runCommand } from '../../support/run-command.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const NOBODY = { origin: 'http://127.0.0.1:9' }
const SECRET = 'sk-b0nary-0123456789'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway({
    offers: { 'acme/small': [{ provider: NOBODY, backend: { region: 'ca', slots: 3 } }, { provider: NOBODY }] },
  })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const runWith = (place: readonly string[], words: readonly string[], stdin = '') =>
  runCommand([...words, ...place], { env: { THEIR_KEY: SECRET }, stdin })

/** One command beside the server. */
const run = (words: readonly string[], stdin = '') => runWith(['--data', gateway.dataFolder], words, stdin)

const own = (...words: string[]) => ['own-credentials', ...words, '--account', 'test']
const ADD = ['add', '--provider', 'mock', '--name']

describe('backends list', () => {
  test('beside a server', async () => {
    const { code, said } = await run(['backends', 'list'])
    expect(code).toBe(0)
    expect(said).toMatch(
      /^BACKEND +PROVIDER +URL +REGION +DIALECTS +BUSY +OPEN +IDLE +REUSED +FIRST BYTE +FIRST CONTENT +TOKENS\/S +SUCCESS +MODELS +STATE$/m,
    )
    expect(said).toMatch(/^b0 +mock +http:\/\/127\.0\.0\.1:9\/v1 +ca +openai +0\/3 +0 +0 +- +- +- +- +- +1 +up$/m)
    expect(said).toMatch(/^b1 +mock +http:\/\/127\.0\.0\.1:9\/v1 +- +openai/m)
    const { data } = JSON.parse((await run(['backends', 'list', '--json'])).said)
    expect((await run(['backends', 'show', 'b0'])).said).toMatch(/^slots +0 of 3 taken, 0 waiting$/m)
    expect((await run(['backends', 'show', 'nobody'])).code).toBe(1)
    expect(data).toMatchObject([{ id: 'b0', slots: 3, slots_free: 3, models: ['acme/small'] }, { id: 'b1' }])
  })

  test('without one, from the configuration', async () => {
    using home = temporaryFolder()
    const config = home.at('anyrouter.yaml')
    writeFileSync(
      config,
      'providers: { acme: { backends: { far: { url: "http://127.0.0.1:9/v1", enabled: false } } } }',
    )
    const { said } = await runWith(['--data', home.at('data'), '--config', config], ['backends', 'list'])
    expect(said).toMatch(/^far +acme .* 0 +disabled$/m)
  })
})

test('probe, without a server: a secret that is not there is told, never asked about as if it were one', async () => {
  using home = temporaryFolder()
  const shown: (string | null)[] = []
  using provider = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch({ headers }) {
      shown.push(headers.get('authorization'))
      return Response.json({ data: [] })
    },
  })
  const config = home.at('anyrouter.yaml')
  const withVariable = (name: string) =>
    `providers: { acme: { credentials: [{ id: main, env: ${name} }], backends: { far: { url: "${provider.url}v1" } } } }`
  const probe = (name: string) => {
    writeFileSync(config, withVariable(name))
    return runWith(['--data', home.at('data'), '--config', config], ['backends', 'probe', 'far'])
  }
  const { code, complained } = await probe('NOBODYS_KEY')
  expect({ code, shown }).toEqual({ code: 1, shown: [] })
  expect(complained).toContain('the environment variable NOBODYS_KEY is not set')
  expect((await probe('THEIR_KEY')).said).toMatch(/^main +accepted +200/m)
  expect(shown).toEqual([`Bearer ${SECRET}`])
})

test('a master key that others may read is refused before anything is done, and says what to do', async () => {
  using home = temporaryFolder()
  const place = ['--data', home.at('data')]
  expect((await runWith(place, ['accounts', 'create', '--name', 'team'])).code).toBe(0)
  const path = home.at('data', 'master.key')
  chmodSync(path, 0o644)
  for (const words of [
    ['accounts', 'list'],
    ['serve', '--port', '0'],
  ]) {
    const { code, said, complained } = await runWith(place, words)
    expect({ code, said }).toEqual({ code: 1, said: '' })
    expect(complained).toContain(`is open to others (mode 0644): run 'chmod 600 ${path}'`)
  }
  chmodSync(path, 0o600)
  expect((await runWith(place, ['accounts', 'list'])).said).toContain('team')
})

describe('quarantine', () => {
  test('is set for a time, listed, seen by the plan and by the backends, and cleared', async () => {
    const set = await run(['quarantine', 'set', 'b0', '--for', '10m', '--reason', 'a flood'])
    expect(set.code).toBe(0)
    expect(set.said).toMatch(/^reason +a flood$/m)
    const listed = (await run(['quarantine', 'list'])).said
    expect(listed).toMatch(/^b0 +out +operator +\S+ +20\S+Z +20\S+Z +a flood$/m)
    const [row] = JSON.parse((await run(['quarantine', 'list', '--json'])).said).data
    expect(row.until_ms - row.since_ms).toBe(600_000)
    const plan = (await run(['route', '--model', 'acme/small'])).said
    expect(plan).toMatch(/^b0 +quarantined +the backend is quarantined$/m)
    expect((await run(['backends', 'list'])).said).toMatch(/^b0 .* quarantined \(operator\) until 20\S+Z$/m)
    expect((await run(['quarantine', 'clear', 'b0'])).said).toBe('b0 may be used again\n')
    expect((await run(['quarantine', 'list'])).said).toBe('no backend is quarantined\n')
    const again = await run(['quarantine', 'clear', 'b0'])
    expect({ code: again.code, said: again.said }).toEqual({ code: 1, said: '' })
    expect(again.complained).toContain("Nothing keeps the backend 'b0' out.")
  })

  test.each([
    [['set', 'b0', '--for', '10', '--reason', 'x'], 'Write a span', 2],
    [['set', 'b0', '--for', '0s', '--reason', 'x'], 'Write a span', 2],
    [['set', 'b0', '--for', '10m'], "required option '--reason <text>' not specified", 2],
    [['set', 'b7', '--reason', 'x'], "Did you mean 'b0'?", 1],
    [['clear', 'b7'], "Did you mean 'b0'?", 1],
  ])('wrong usage: %p', async (words, complaint, exitCode) => {
    const { code, said, complained } = await run(['quarantine', ...words])
    expect(complained).toContain(complaint)
    expect({ code, said }).toEqual({ code: exitCode, said: '' })
  })
})

describe('own-credentials', () => {
  test('are added from a variable or stdin, changed and removed; the secret is nowhere in clear', async () => {
    const added = await run([...own(...ADD, 'main', '--env', 'THEIR_KEY'), '--json'])
    expect(added.code).toBe(0)
    const { id } = JSON.parse(added.said)
    const second = await run(own(...ADD, 'spare'), `${SECRET}-2\n`)
    expect(second.said).toMatch(/^secret +…89-2$/m)
    const listed = (await run(own('list'))).said
    expect(listed).toMatch(/^cred_\S+ +mock +main +the provider's +…6789 +enabled$/m)
    expect(listed).toMatch(/^cred_\S+ +mock +spare +the provider's +…89-2 +enabled$/m)

    const url = 'https://llm.customer.example/v1'
    const placed = await run(own(...ADD, 'placed', '--base-url', url), SECRET)
    expect(placed.said).toMatch(/^place +https:\/\/llm\.customer\.example\/v1$/m)

    const changed = await run(own('update', id, '--name', 'first', '--file', '-', '--disable'), `${SECRET}-three`)
    expect(changed.said).toMatch(/^name +first$/m)
    expect(changed.said).toMatch(/^secret +…hree$/m)
    expect(changed.said).toMatch(/^state +disabled$/m)
    expect((await run(own('remove', id))).said).toBe(`${id} is removed\n`)
    expect((await run(own('list'))).said).not.toContain(id)

    const audit = await run(['audit', '--json'])
    expect(audit.said).toContain('own_credential.create')
    for (const text of [added.said, second.said, listed, changed.said, audit.said]) expect(text).not.toContain('canary')
    const data = gateway.dataFolder
    for (const file of readdirSync(data).filter((name) => name !== 'admin.sock'))
      expect(readFileSync(join(data, file)).includes(SECRET)).toBe(false)
    expect(statSync(join(data, 'master.key')).mode & 0o777).toBe(0o600)
  })

  test.each([
    [['add', '--name', 'x', '--env', 'THEIR_KEY'], "required option '--provider <provider>'", 2],
    [[...ADD, 'x', '--env', 'A', '--file', 'b'], 'cannot be used with', 2],
    [[...ADD, 'x', SECRET], 'too many arguments', 2],
    [['update', 'cred_1'], 'say what to change', 2],
    [['update', 'cred_1', '--enable', '--disable'], 'cannot be used with', 2],
    [[...ADD, 'x'], 'there is no secret in stdin', 1],
    [['add', '--provider', 'moc', '--name', 'x', '--env', 'THEIR_KEY'], "Did you mean 'mock'?", 1],
    [['remove', 'cred_none'], "The account has no credential 'cred_none'.", 1],
  ])('wrong usage: %p', async (words, complaint, exitCode) => {
    const { code, said, complained } = await run(own(...words))
    expect(complained).toContain(complaint)
    expect(complained).not.toContain('canary')
    expect({ code, said }).toEqual({ code: exitCode, said: '' })
  })

  test('another master key: the list says so, and a new secret helps', async () => {
    const { id } = JSON.parse((await run([...own(...ADD, 'a', '--env', 'THEIR_KEY'), '--json'])).said)
    rmSync(join(gateway.dataFolder, 'master.key'))
    await gateway.restart()
    expect(gateway.logs()).toContain('"event":"own_credentials_unreadable"')
    expect((await run(own('list'))).said).toMatch(/ +a +the provider's +…6789 +sealed with another master key$/m)
    expect((await run(own('update', id, '--env', 'THEIR_KEY'))).said).toMatch(/^state +enabled$/m)
  })
})
