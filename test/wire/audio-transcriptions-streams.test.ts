import { expect, test } from 'bun:test'
import { close, json, script } from '../support/script.ts'
import { settlementOf } from '../support/wire-chat.ts'
import { type FormPart, formBytes, operationWorld, sendForm, typedEvent, typedSse } from '../support/wire-operations.ts'

const PATH = '/v1/audio/transcriptions'
const BY_HOUR = { price: { input: '0', output: '0', per_audio_hour: '0.36' } }
const SOUND = Uint8Array.from({ length: 5000 }, (_, at) => (at * 7) % 256)
const file: FormPart = { name: 'file', fileName: 'a.mp3', value: SOUND }
const model = (name = 'm1'): FormPart => ({ name: 'model', value: name })

test('events are passed on, and their usage is paid', async () => {
  const delta = { type: 'transcript.text.delta', delta: 'Hi' }
  const usage = { type: 'tokens', input_tokens: 14, output_tokens: 2, total_tokens: 16 }
  const done = { type: 'transcript.text.done', text: 'Hi', usage }
  await using world = await operationWorld({}, typedSse(typedEvent(delta), typedEvent(done)))
  const answer = sendForm(world.gateway, PATH, formBytes(file, model(), { name: 'stream', value: 'true' }))
  expect((await answer.head()).header('content-type')).toContain('text/event-stream')
  await answer.text()
  expect(answer.events.map(({ type, data }) => [type, JSON.parse(data)])).toEqual([
    [delta.type, delta],
    [done.type, done],
  ])
  expect((await world.provider.arrived()).header('accept')).toBe('text/event-stream')
  expect(await settlementOf(world.gateway)).toMatchObject({ charged_nano: (14 * 4 + 2 * 10) * 1000 })
})

test('a whole answer in place of events is told as events', async () => {
  await using world = await operationWorld(BY_HOUR, json({ text: 'Hi', duration: 2 }))
  const answer = sendForm(world.gateway, PATH, formBytes(file, model(), { name: 'stream', value: 'true' }))
  await answer.text()
  expect(answer.events.map(({ data }) => JSON.parse(data))).toEqual([
    { type: 'transcript.text.delta', delta: 'Hi' },
    { type: 'transcript.text.done', text: 'Hi', usage: { type: 'duration', seconds: 2 } },
  ])
  expect(await settlementOf(world.gateway)).toMatchObject({ usage: { audio_ms: 2000 } })
})

test('a stream that breaks off pays what was said', async () => {
  const delta = { type: 'transcript.text.delta', delta: 'a'.repeat(400) }
  const cut = script({ status: 200, headers: { 'content-type': 'text/event-stream' } }, typedEvent(delta), close())
  await using world = await operationWorld({ price: { input: '0', output: '10' } }, cut)
  const answer = sendForm(world.gateway, PATH, formBytes(file, model(), { name: 'stream', value: 'true' }))
  await answer.text()
  expect(JSON.parse(answer.events.at(-1)?.data ?? '')).toMatchObject({ error: { code: 'stream_broken' } })
  expect(await settlementOf(world.gateway)).toMatchObject({ reason: 'provider_broken', usage: { output: 134 } })
})
