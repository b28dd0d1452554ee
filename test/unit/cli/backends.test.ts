import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommandLine } from '../../../src/cli/index.ts'
import { fakeTerminal } from '../../support/fake-terminal.ts'

const CONFIG = `
providers:
  acme:
    credentials: [{ id: main, env: ACME_API_KEY }]
    backends:
      acme-ca: { url: "http://127.0.0.1:9/v1", region: ca, slots: 3 }
      acme-us: { url: "http://127.0.0.1:10/v1" }
models:
  acme/small:
    context: 128000
    offers:
      - { backend: acme-ca, as: small-2026, price: { input: "0.15", output: "0.60" } }
      - { backend: acme-us, as: small-2026, price: { input: "0.15", output: "0.60" } }
`
const SECRET = 'sk-acme-canary-0123456789'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'anyrouter-cli-'))
  writeFileSync(join(home, 'anyrouter.yaml'), CONFIG)
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** One command on the folder itself: no server runs. */
async function run(words: readonly string[], stdin = '') {
  const terminal = fakeTerminal({ env: { ACME_API_KEY: 'sk-x', THEIR_KEY: SECRET }, stdin })
  const place = ['--data', join(home, 'data'), '--config', join(home, 'anyrouter.yaml')]
  const code = await runCommandLine([...words, ...place], terminal)
  return { code, said: terminal.said, complained: terminal.complained }
}

const own = (...words: string[]) => ['own-credentials', ...words, '--account', 'team']
const ADD = ['add', '--provider', 'acme', '--name']

test('backends list', async () => {
  const { code, said } = await run(['backends', 'list'])
  expect(code).toBe(0)
  expect(said).toMatch(/^BACKEND +PROVIDER +URL +REGION +DIALECTS +BUSY +OPEN +IDLE +MODELS +STATE$/m)
  expect(said).toMatch(/^acme-ca +acme +http:\/\/127\.0\.0\.1:9\/v1 +ca +openai +0\/3 +0 +0 +1 +up$/m)
  expect(said).toMatch(/^acme-us +acme +http:\/\/127\.0\.0\.1:10\/v1 +- +openai/m)
  const { data } = JSON.parse((await run(['backends', 'list', '--json'])).said)
  expect(data).toMatchObject([{ id: 'acme-ca', slots: 3, slots_free: 3, models: ['acme/small'] }, { id: 'acme-us' }])
})

describe('quarantine', () => {
  test('is set for a time, listed, seen by the plan and by the backends, and cleared', async () => {
    await run(['accounts', 'create', '--name', 'team'])
    const set = await run(['quarantine', 'set', 'acme-ca', '--for', '10m', '--reason', 'a flood'])
    expect(set.code).toBe(0)
    expect(set.said).toMatch(/^reason +a flood$/m)
    const listed = (await run(['quarantine', 'list'])).said
    expect(listed).toMatch(/^acme-ca +operator +local:test +20\S+Z +20\S+Z +a flood$/m)
    const [row] = JSON.parse((await run(['quarantine', 'list', '--json'])).said).data
    expect(row.until_ms - row.since_ms).toBe(600_000)
    const plan = (await run(['route', '--model', 'acme/small'])).said
    expect(plan).toMatch(/^acme-ca +quarantined +the backend is quarantined$/m)
    expect((await run(['backends', 'list'])).said).toMatch(/^acme-ca .* quarantined \(operator\) until 20\S+Z$/m)
    expect((await run(['quarantine', 'clear', 'acme-ca'])).said).toBe('acme-ca may be used again\n')
    expect((await run(['quarantine', 'list'])).said).toBe('no backend is quarantined\n')
    const again = await run(['quarantine', 'clear', 'acme-ca'])
    expect({ code: again.code, said: again.said }).toEqual({ code: 1, said: '' })
    expect(again.complained).toContain("No operator has quarantined a backend 'acme-ca'.")
  })

  test.each([
    [['set', 'acme-ca', '--for', '10', '--reason', 'x'], 'Write a span', 2],
    [['set', 'acme-ca', '--for', '0s', '--reason', 'x'], 'Write a span', 2],
    [['set', 'acme-ca', '--for', '10m'], "required option '--reason <text>' not specified", 2],
    [['set', 'acme-cb', '--reason', 'x'], "Did you mean 'acme-ca'?", 1],
  ])('wrong usage: %p', async (words, complaint, exitCode) => {
    await run(['accounts', 'create', '--name', 'team'])
    const { code, said, complained } = await run(['quarantine', ...words])
    expect(complained).toContain(complaint)
    expect({ code, said }).toEqual({ code: exitCode, said: '' })
  })
})

describe('own-credentials', () => {
  test('are added from a variable or stdin, changed and removed; the secret is nowhere in clear', async () => {
    await run(['accounts', 'create', '--name', 'team'])
    const added = await run([...own(...ADD, 'main', '--env', 'THEIR_KEY'), '--json'])
    expect(added.code).toBe(0)
    const { id } = JSON.parse(added.said)
    const second = await run(own(...ADD, 'spare'), `${SECRET}-2\n`)
    expect(second.said).toMatch(/^secret +…89-2$/m)
    const listed = (await run(own('list'))).said
    expect(listed).toMatch(/^cred_\S+ +acme +main +…6789 +enabled$/m)
    expect(listed).toMatch(/^cred_\S+ +acme +spare +…89-2 +enabled$/m)

    const changed = await run(own('update', id, '--name', 'first', '--file', '-', '--disable'), `${SECRET}-three`)
    expect(changed.said).toMatch(/^name +first$/m)
    expect(changed.said).toMatch(/^secret +…hree$/m)
    expect(changed.said).toMatch(/^state +disabled$/m)
    expect((await run(own('remove', id))).said).toBe(`${id} is removed\n`)
    expect((await run(own('list'))).said).not.toContain(id)

    const audit = await run(['audit', '--json'])
    expect(audit.said).toContain('own_credential.create')
    for (const text of [added.said, second.said, listed, changed.said, audit.said]) expect(text).not.toContain('canary')
    const data = join(home, 'data')
    for (const file of readdirSync(data)) expect(readFileSync(join(data, file)).includes('canary')).toBe(false)
    expect(statSync(join(data, 'master.key')).mode & 0o777).toBe(0o600)
  })

  test.each([
    [['add', '--name', 'x', '--env', 'THEIR_KEY'], "required option '--provider <provider>'", 2],
    [[...ADD, 'x', '--env', 'A', '--file', 'b'], 'cannot be used with', 2],
    [[...ADD, 'x', SECRET], 'too many arguments', 2],
    [['update', 'cred_1'], 'say what to change', 2],
    [['update', 'cred_1', '--enable', '--disable'], 'cannot be used with', 2],
    [[...ADD, 'x'], 'there is no secret in stdin', 1],
    [['add', '--provider', 'acne', '--name', 'x', '--env', 'THEIR_KEY'], "Did you mean 'acme'?", 1],
    [['remove', 'cred_none'], "The account has no credential 'cred_none'.", 1],
  ])('wrong usage: %p', async (words, complaint, exitCode) => {
    await run(['accounts', 'create', '--name', 'team'])
    const { code, said, complained } = await run(own(...words))
    expect(complained).toContain(complaint)
    expect(complained).not.toContain('canary')
    expect({ code, said }).toEqual({ code: exitCode, said: '' })
  })

  test('another master key: the list says so, and a new secret helps', async () => {
    await run(['accounts', 'create', '--name', 'team'])
    const { id } = JSON.parse((await run([...own(...ADD, 'a', '--env', 'THEIR_KEY'), '--json'])).said)
    rmSync(join(home, 'data', 'master.key'))
    expect((await run(own('list'))).said).toMatch(/ sealed with another master key$/m)
    expect((await run(own('update', id, '--env', 'THEIR_KEY'))).said).toMatch(/^state +enabled$/m)
  })
})
