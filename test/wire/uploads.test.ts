import { expect, test } from 'bun:test'
import { bearer, startGateway } from '../support/gateway.ts'
import type { RawClient } from '../support/raw-client.ts'
import { gate, plain } from '../support/raw-server.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { balanceOf, errorOf, settlementOf } from '../support/wire-chat.ts'
import { formBytes, operationWorld, sendForm } from '../support/wire-operations.ts'
import { file, MB, model, PRICED, rawWorld, SAID, UPLOAD_PATH } from '../support/wire-uploads.ts'

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

test('an answer to one that is passed on is not taken for a text when it is JSON that was cut', async () => {
  await using world = await rawWorld(async (peer) => {
    await peer.request()
    await peer.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"text":"Hi th')
    peer.end()
  })
  const form = formBytes(model(), file(3))
  await world.begin(form)
  await world.client.write(form)
  expect(await errorOf(world.client.answer())).toMatchObject({ status: 502, code: 'provider_failed' })
  expect(await settlementOf(world.gateway)).toMatchObject({ end: 'voided', charged_nano: 0 })
})

test('one whose length nobody told goes out in chunks', async () => {
  await using world = await operationWorld(PRICED, SAID)
  const form = (name: string) => formBytes(model(name), file(3))
  const answer = sendForm(world.gateway, UPLOAD_PATH, form('m1'), { chunkBytes: 100_000 })
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

test('a form is bounded: as it is declared, as it comes, and where it must be read whole', async () => {
  await using provider = await scriptedProvider()
  provider.script(SAID)
  const yaml = { server: { body_bytes_max: '2MB', upload_bytes_max: '4MB' } }
  await using gateway = await startGateway({ offers: { m1: [{ provider, ...PRICED }] }, yaml })
  const large = { status: 413, code: 'body_too_large' }
  expect(await errorOf(sendForm(gateway, UPLOAD_PATH, formBytes(model(), file(4))))).toMatchObject(large)
  const chunked = sendForm(gateway, UPLOAD_PATH, formBytes(model(), file(5)), { chunkBytes: 100_000 })
  expect(await errorOf(chunked)).toMatchObject(large)
  expect(await errorOf(sendForm(gateway, UPLOAD_PATH, formBytes(file(3), model())))).toMatchObject({
    ...large,
    param: 'model',
  })
  for (const megabytes of [1.5, 2.5, 3])
    expect(await sendForm(gateway, UPLOAD_PATH, formBytes(model(), file(megabytes))).json()).toEqual({ text: 'Hi' })
})
