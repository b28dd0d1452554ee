import { expect, test } from 'bun:test'
import { FolderLocked } from '../../src/store/index.ts'
import { FaultPanel } from '../../src/store/sqlite/faults.ts'
import { startGateway } from '../support/gateway.ts'
import { rawClient, rawRequest } from '../support/raw-client.ts'
import { runGateway } from '../support/run-gateway.ts'
import { gate, script } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, finish, role, sse, text } from '../support/sse.ts'
import { balanceOf, chat, errorOf, eventually, streamChat } from '../support/wire-chat.ts'

test('a full disk: nothing is delivered or charged, and requests are taken again when there is room', async () => {
  const faults = new FaultPanel()
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, faults })
  provider.script(script(gate('thinking'), sse(role(), text('never seen'), finish(), done())), completion('ok', 1, 1))
  await faults.set({ failCommits: 3 })
  const commit = await faults.holdCommits() // the provider has the request before its hold fails
  const answer = streamChat(gateway)
  await provider.reached('thinking')
  commit()
  const error = await errorOf(answer)
  expect(error).toMatchObject({ status: 503, code: 'storage_unavailable' })
  expect(error.head.header('x-should-retry')).toBe('false')
  await provider.peerClosed()

  const refused = await errorOf(chat(gateway))
  expect(refused).toMatchObject({ status: 503, code: 'storage_unavailable' })
  expect(await rawRequest(gateway.origin, { method: 'GET', path: '/readyz' }).status()).toBe(503)
  expect(provider.requests.length).toBe(1)

  await eventually(async () => ((await fetch(`${gateway.origin}/readyz`)).ok ? true : undefined))
  expect(await balanceOf(gateway)).toBe(1_000_000_000)
  expect(await chat(gateway).status()).toBe(200)
}, 60_000)

test('a slow disk: the answer waits for the hold, and Server-Timing says so', async () => {
  const faults = new FaultPanel()
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, faults })
  provider.script(completion('ok', 1, 1))
  await faults.set({ commitDelayMs: 100 })
  const head = await chat(gateway).head()
  await faults.set({ commitDelayMs: 0 })
  expect(head.status).toBe(200)
  expect(head.header('server-timing')).toContain('post-hold;dur=')
})

test('a second process on the same data folder is refused', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  const second = runGateway({ configPath: `${gateway.dataFolder}/../anyrouter.yaml`, dataFolder: gateway.dataFolder })
  expect(
    await second.then(
      () => null,
      (error: unknown) => error,
    ),
  ).toBeInstanceOf(FolderLocked)
  provider.script(completion('ok', 1, 1))
  expect(await chat(gateway).status()).toBe(200)
})

test('draining takes no new work and waits until what runs is settled', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(sse(role(), text('Hel'), gate('half'), text('lo'), finish(), done()))
  const answer = streamChat(gateway)
  await answer.until('Hel')
  gateway.expectBroken() // the disposal's own checks want a server that listens
  const stopping = gateway.stop()
  provider.release('half')
  expect(await answer.text()).toContain('[DONE]')
  await stopping
})

test('draining waits so long and no longer: a stream is ended with an error, and what was delivered is settled', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [{ provider }] },
    yaml: { server: { drain_ms: 60_000 } },
  })
  provider.script(sse(role(), text('Hel'), gate('never'), text('lo'), finish(), done()))
  const answer = streamChat(gateway)
  await answer.until('Hel')
  gateway.configure({ offers: { m1: [{ provider }] }, yaml: { server: { drain_ms: 0 } } })
  expect((await gateway.admin('POST', '/config/reload')).body.settings).toEqual(['server.drain_ms'])
  gateway.expectBroken() // the disposal's own checks want a server that listens
  await gateway.stop()
  const said = await answer.text()
  expect(said).toContain('"code":"shutting_down"')
  expect(said).not.toContain('[DONE]')
  await provider.peerClosed()
  expect(gateway.logs()).toContain('"code":"shutting_down"')
})

test('draining does not wait for a body half sent', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  await using client = rawClient(gateway.origin)
  await client.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.key}\r\ncontent-length: 100\r\n\r\n{`,
  )
  await eventually(async () => (await gateway.admin('GET', '/slots')).body.in_flight || undefined)
  gateway.expectBroken() // the disposal's own checks want a server that listens
  const answer = client.answer()
  const stopping = gateway.stop()
  expect(await errorOf(answer)).toMatchObject({ status: 503, code: 'shutting_down' })
  await stopping
})

test('draining ends, and says so, when the disk takes no settlement any more', async () => {
  const faults = new FaultPanel()
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, faults })
  provider.script(sse(role(), text('Hel'), gate('half'), text('lo'), finish(), done()))
  const answer = streamChat(gateway)
  await answer.until('Hel')
  await faults.set({ failCommits: 1000 })
  provider.release('half')
  expect(await answer.text()).toContain('[DONE]')
  gateway.expectBroken()
  await gateway.stop()
  expect(gateway.logs()).toContain('"event":"settlements_unwritten","settlements":1')
}, 60_000)
