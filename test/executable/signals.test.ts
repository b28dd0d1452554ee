import { expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { executable } from '../support/run-gateway.ts'
import { gate } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, finish, role, sse, text } from '../support/sse.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { chat, eventually, streamChat } from '../support/wire-chat.ts'

const hangUp = (gateway: TestGateway): void => {
  if (gateway.pid === null) throw new Error('this needs the executable')
  process.kill(gateway.pid, 'SIGHUP')
}

const logged = (gateway: TestGateway, text: string) =>
  eventually(async () => gateway.logs().includes(text) || undefined)

test('SIGHUP reads the configuration again, and a bad one is told in the log; a stream goes on through both', async () => {
  await using old = await scriptedProvider()
  await using young = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider: old }] } })
  old.script(sse(role(), text('Hel'), gate('half'), text('lo'), finish(), done()))
  young.script(completion('ok', 1, 1))
  const answer = streamChat(gateway)
  await answer.until('Hel')
  gateway.configure({ offers: { m1: [{ provider: young }] } })
  hangUp(gateway)
  await logged(gateway, '"event":"reloaded","catalogue_version":2,"backends_changed":"b0"')
  expect(await chat(gateway).status()).toBe(200)

  gateway.configure('server: { prot: 1 }\n')
  hangUp(gateway)
  await logged(gateway, `"event":"reload_refused","message":"${gateway.configPath}:1:11  server.prot\\n`)
  expect(await chat(gateway).status()).toBe(200)
  expect(young.requests).toHaveLength(2)
  old.release('half')
  expect(await answer.text()).toContain('[DONE]')
})

test('a command after kill -9 says how many requests it closed', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, yaml: { money: { crash: 'void' } } })
  provider.script(sse(role(), text('Hel'), gate('never'), finish(), done()))
  await streamChat(gateway).until('Hel')
  await gateway.kill()
  const words = [executable ?? '', 'ledger', 'verify', '--data', gateway.dataFolder]
  const command = Bun.spawn(words, { env: {}, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [said, complained] = await Promise.all([command.stdout.text(), command.stderr.text()])
  expect(complained).toEndWith('closed 1 request of a process that died: 0 charged, 1 free\n')
  expect(said).toStartWith('ledger verified: 1 account, 1 entry, 1 settlement, 0 open holds')
  expect(await command.exited).toBe(0)
})

test('anyrouter.yaml that comes to be after the start is found by a reload, and then has to be there', async () => {
  using folder = temporaryFolder()
  const cwd = folder.path
  const spawn = (...words: string[]) =>
    Bun.spawn([executable ?? '', ...words], { cwd, env: {}, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const server = spawn('serve', '--port', '0', '--announce')
  try {
    await server.stdout.getReader().read() // it listens
    writeFileSync(
      join(cwd, 'anyrouter.yaml'),
      'providers: { a: { backends: { b: { url: "http://127.0.0.1:9/v1" } } } }\n',
    )
    expect(await spawn('reload').stdout.text()).toBe('configuration read again: catalogue 2\n  backends added: b\n')
    rmSync(join(cwd, 'anyrouter.yaml'))
    expect(await spawn('reload').stderr.text()).toContain('anyrouter.yaml\n  the configuration cannot be used')
  } finally {
    server.kill('SIGTERM')
    await server.exited
  }
})
