import { describe, expect, test } from 'bun:test'
import { bearer, startGateway } from '../support/gateway.ts'
import { type RawClient, rawClient } from '../support/raw-client.ts'
import { gate, type Peer, plain, rawServer, type Script } from '../support/raw-server.ts'
import { json, type Part, script, send } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { balanceOf, errorOf, settlementOf } from '../support/wire-chat.ts'
import {
  type FormPart,
  formBytes,
  formHeaders,
  operationWorld,
  sendForm,
  typedEvent,
  typedSse,
} from '../support/wire-operations.ts'

const PATH = '/v1/audio/transcriptions'
const PRICED = { price: { input: '0', output: '0', per_request: '0.001' } }
const MB = 1024 * 1024
const SAID = json({ text: 'Hi' })
const model = (name = 'm1'): FormPart => ({ name: 'model', value: name })
const field = (name: string, value: string): FormPart => ({ name, value })
const file = (megabytes: number): FormPart => ({
  name: 'file',
  fileName: 'a.mp3',
  value: Buffer.alloc(megabytes * MB, 'some sound\r\n--'),
})

/** A gateway before one provider of raw sockets, and a caller who sends its form in pieces. */
async function rawWorld(play: Script) {
  const provider = await rawServer(play)
  const gateway = await startGateway({
    offers: { m1: [{ provider: { origin: `http://127.0.0.1:${provider.port}` }, ...PRICED }] },
  })
  const client = rawClient(gateway.origin)
  const begin = (form: Buffer) => {
    const headers = Object.entries(formHeaders(gateway)).map(([name, value]) => `${name}: ${value}\r\n`)
    return client.write(`POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: ${form.length}\r\n${headers.join('')}\r\n`)
  }
  return {
    provider,
    gateway,
    client,
    begin,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]()
      await gateway[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
    },
  }
}

test('a large form is passed on while it is sent', async () => {
  const begun = gate()
  await using world = await rawWorld(async (peer) => {
    await peer.bytes(MB)
    begun.open()
    await peer.request()
    await peer.write(plain('{"text":"Hi"}'))
  })
  const form = formBytes(model(), file(3))
  await world.begin(form)
  await world.client.write(form.subarray(0, 2 * MB))
  await begun.opened // the rest is not sent yet
  await world.client.write(form.subarray(2 * MB))
  expect(await world.client.answer().json()).toEqual({ text: 'Hi' })
  const sent = formBytes(model('provider-m1'), file(3))
  const [request] = world.provider.requests
  expect(request?.head).toContain(`content-length: ${sent.length}`)
  expect(request?.body.equals(sent)).toBe(true)
})

test('one whose length nobody told goes out in chunks', async () => {
  await using world = await operationWorld(PRICED, SAID)
  const form = (name: string) => formBytes(model(name), file(3))
  const answer = sendForm(world.gateway, PATH, form('m1'), { chunkBytes: 100_000 })
  expect(await answer.json()).toEqual({ text: 'Hi' })
  const request = await world.provider.arrived()
  expect([request.header('transfer-encoding'), request.header('content-length')]).toEqual(['chunked', null])
  expect(request.framingIntact).toBe(true)
  expect(request.body.equals(form('provider-m1'))).toBe(true)
})

test('a provider that takes nothing stops the caller', async () => {
  const paused = gate()
  await using world = await rawWorld(async (peer) => {
    await peer.bytes(MB)
    peer.pause()
    paused.open()
  })
  const form = formBytes(model(), file(48))
  await world.begin(form)
  let sentBytes = 0
  const sending = sendAll(world.client, form, (bytes) => {
    sentBytes = bytes
  })
  await paused.opened
  for (let times = 0; times < 100; times++)
    await fetch(`${world.gateway.origin}/v1/models`, { headers: bearer(world.gateway) }) // all that could be taken is taken by then
  expect(sentBytes).toBeLessThan(32 * MB)
  world.client.reset()
  await sending
})

async function sendAll(client: RawClient, bytes: Buffer, told: (sentBytes: number) => void): Promise<void> {
  const step = 256 * 1024
  for (let at = 0; at < bytes.length; at += step) {
    await client.write(bytes.subarray(at, at + step))
    told(at + step)
  }
}

test('a provider that answers early is heard: its refusal is told while the caller still sends', async () => {
  const error = JSON.stringify({ error: { message: 'Too much', code: 'too_much' } })
  await using world = await rawWorld(async (peer) => {
    await peer.bytes(MB)
    await peer.write(plain(error, { status: '413 Content Too Large' }))
    await peer.closed
  })
  const form = formBytes(model(), file(4))
  await world.begin(form)
  await world.client.write(form.subarray(0, 3 * MB))
  const answer = world.client.answer()
  expect(await errorOf(answer)).toMatchObject({ status: 413, code: 'too_much' })
  expect(await balanceOf(world.gateway)).toBe(1_000_000_000)
})

test('a caller who leaves in the middle of a form ends it at the provider at once, and pays nothing', async () => {
  const begun = gate()
  const left = gate()
  await using world = await rawWorld(async (peer) => {
    await peer.bytes(MB)
    begun.open()
    await peer.closed
    left.open()
  })
  const form = formBytes(model(), file(4))
  await world.begin(form)
  await world.client.write(form.subarray(0, 2 * MB))
  await begun.opened
  world.client.hangUp()
  await left.opened
  expect(await settlementOf(world.gateway)).toMatchObject({ end: 'voided', charged_nano: 0 })
})

describe('another backend', () => {
  const world = async (...first: readonly Part[]) => {
    const one = await scriptedProvider()
    const two = await scriptedProvider()
    one.script(...first)
    two.script(SAID)
    const offers = [one, two].map((provider) => ({ provider, ...PRICED }))
    const gateway = await startGateway({ offers: { m1: offers } })
    return {
      one,
      two,
      gateway,
      async [Symbol.asyncDispose]() {
        for (const part of [gateway, one, two]) await part[Symbol.asyncDispose]()
      },
    }
  }

  test('gets a large form of which nothing was sent', async () => {
    await using all = await world({ refuse: true })
    const answer = sendForm(all.gateway, PATH, formBytes(model(), file(3)))
    expect(await answer.json()).toEqual({ text: 'Hi' })
    expect((await all.two.arrived()).body.equals(formBytes(model('provider-m1'), file(3)))).toBe(true)
  })

  test('gets a small form that was sent already, or one that was read whole', async () => {
    await using all = await world(json(500, { error: { message: 'Oh' } }))
    for (const form of [formBytes(model(), file(0.5)), formBytes(file(3), model())]) {
      expect(await sendForm(all.gateway, PATH, form).json()).toEqual({ text: 'Hi' })
    }
    expect(all.two.requests.map(({ body }) => body.length > 3 * MB)).toEqual([false, true])
  })

  test('does not get what was passed on', async () => {
    await using all = await world(json(500, { error: { message: 'Oh' } }))
    expect(await errorOf(sendForm(all.gateway, PATH, formBytes(model(), file(3))))).toMatchObject({
      status: 502,
      code: 'provider_failed',
    })
    expect([all.one.requests.length, all.two.requests.length]).toEqual([1, 0])
  })
})

describe('what a large form says after its files', () => {
  test('may be the form of its answer', async () => {
    const head = { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } }
    await using world = await operationWorld(PRICED, script(head, send('Hi\n'), { end: true }))
    const answer = sendForm(world.gateway, PATH, formBytes(model(), file(3), field('response_format', 'text')))
    expect((await answer.head()).header('content-type')).toBe('text/plain; charset=utf-8')
    expect(await answer.text()).toBe('Hi\n')
  })

  test('may be that events are wanted', async () => {
    const done = { type: 'transcript.text.done', text: 'Hi' }
    await using world = await operationWorld(PRICED, typedSse(typedEvent(done)))
    const answer = sendForm(world.gateway, PATH, formBytes(model(), file(3), field('stream', 'true')))
    expect((await answer.head()).header('content-type')).toContain('text/event-stream')
    await answer.text()
    expect(answer.events.map(({ data }) => JSON.parse(data))).toEqual([done])
    expect(await settlementOf(world.gateway)).toMatchObject({ charged_nano: 1_000_000 })
  })

  const refused = async (path: string, form: Buffer) => {
    const ended = gate()
    await using world = await rawWorld(async (peer: Peer) => {
      await peer.closed
      ended.open()
    })
    const error = await errorOf(sendForm(world.gateway, path, form))
    await ended.opened
    expect(world.provider.requests).toEqual([])
    expect(await balanceOf(world.gateway)).toBe(1_000_000_000)
    return error
  }

  test('must not be how many pictures there are', async () => {
    const form = formBytes(model(), field('prompt', 'A hat'), { ...file(3), name: 'image' }, field('n', '4'))
    expect(await refused('/v1/images/edits', form)).toMatchObject({ status: 400, code: 'invalid_request', param: 'n' })
  })

  test('must not be another model, or nothing that is a form', async () => {
    expect(await refused(PATH, formBytes(model(), file(3), model('dear')))).toMatchObject({
      status: 400,
      code: 'duplicate_field',
      param: 'model',
    })
    expect(await refused(PATH, formBytes(model(), file(3)).subarray(0, -8))).toMatchObject({
      status: 400,
      message: expect.stringContaining('last boundary'),
    })
  })
})

test('a form is bounded: as it is declared, as it comes, and where it must be read whole', async () => {
  await using provider = await scriptedProvider()
  provider.script(SAID)
  const yaml = { server: { body_bytes_max: '2MB', upload_bytes_max: '4MB' } }
  await using gateway = await startGateway({ offers: { m1: [{ provider, ...PRICED }] }, yaml })
  const large = { status: 413, code: 'body_too_large' }
  expect(await errorOf(sendForm(gateway, PATH, formBytes(model(), file(4))))).toMatchObject(large)
  const chunked = sendForm(gateway, PATH, formBytes(model(), file(5)), { chunkBytes: 100_000 })
  expect(await errorOf(chunked)).toMatchObject(large)
  expect(await errorOf(sendForm(gateway, PATH, formBytes(file(3), model())))).toMatchObject({
    ...large,
    param: 'model',
  })
  for (const megabytes of [1.5, 2.5, 3])
    expect(await sendForm(gateway, PATH, formBytes(model(), file(megabytes))).json()).toEqual({ text: 'Hi' })
})
