import { expect, test } from 'bun:test'
import OpenAI, { toFile } from 'openai'
import { json, type Part, script, send } from '../support/script.ts'
import { operationWorld, typedEvent, typedSse } from '../support/wire-operations.ts'

const PRICE = { input: '4', output: '10', per_request: '0', per_audio_hour: '0.36', per_image: '0.04' }
const MB = 1024 * 1024

/** A gateway with one provider that plays these scripts, and the SDK. */
async function worldOf(...parts: readonly Part[]) {
  const world = await operationWorld({ price: PRICE }, ...parts)
  const { baseUrl: baseURL, key: apiKey } = world.gateway
  return { ...world, sdk: new OpenAI({ baseURL, apiKey, maxRetries: 0 }) }
}

/** The form that a provider was sent, read by another reader than the gateway's. */
async function formOf(request: { readonly body: Uint8Array; header(name: string): string | null }) {
  const headers = { 'content-type': request.header('content-type') ?? '' }
  return new Response(Buffer.from(request.body), { headers }).formData()
}

const sound = (bytes: number) => toFile(Buffer.alloc(bytes, 'sound'), 'a.mp3', { type: 'audio/mpeg' })

test('transcriptions: in JSON, verbose, as subtitles', async () => {
  const text = script(
    { status: 200, headers: { 'content-type': 'text/plain' } },
    send('1\n00:00:00,000 --> 00:00:01,500\nHi\n'),
    { end: true },
  )
  await using world = await worldOf(json({ text: 'Hi' }), json({ text: 'Hi', duration: 1.5, segments: [] }), text)
  const { transcriptions } = world.sdk.audio
  const file = await sound(2000)
  expect((await transcriptions.create({ file, model: 'm1' })).text).toBe('Hi')
  const verbose = await transcriptions.create({ file, model: 'm1', response_format: 'verbose_json' })
  expect([verbose.text, Number(verbose.duration)]).toEqual(['Hi', 1.5])
  expect(await transcriptions.create({ file, model: 'm1', response_format: 'srt' })).toContain('00:00:01,500')
  const form = await formOf(await world.provider.arrived(3))
  expect([form.get('model'), form.get('response_format')]).toEqual(['provider-m1', 'srt'])
  const sent = form.get('file')
  expect(sent instanceof File && Buffer.from(await sent.arrayBuffer()).equals(Buffer.alloc(2000, 'sound'))).toBe(true)
})

test('a transcription as a stream', async () => {
  const delta = { type: 'transcript.text.delta', delta: 'Hi' }
  const done = { type: 'transcript.text.done', text: 'Hi' }
  await using world = await worldOf(typedSse(typedEvent(delta), typedEvent(done)))
  const stream = await world.sdk.audio.transcriptions.create({ file: await sound(2000), model: 'm1', stream: true })
  const types: string[] = []
  for await (const event of stream) types.push(event.type)
  expect(types).toEqual([delta.type, done.type])
})

test('large files, the model before them and after them', async () => {
  await using world = await worldOf(json({ text: 'Hi' }))
  const file = await sound(5 * MB)
  expect((await world.sdk.audio.transcriptions.create({ file, model: 'm1' })).text).toBe('Hi')
  expect((await world.sdk.audio.transcriptions.create({ model: 'm1', file })).text).toBe('Hi')
  for (const number of [1, 2]) {
    const form = await formOf(await world.provider.arrived(number))
    const sent = form.get('file')
    expect([form.get('model'), sent instanceof File && sent.size]).toEqual(['provider-m1', 5 * MB])
  }
})

test('translations', async () => {
  await using world = await worldOf(json({ text: 'Hi' }))
  expect((await world.sdk.audio.translations.create({ file: await sound(2000), model: 'm1' })).text).toBe('Hi')
})

test('pictures are changed, plain and as a stream, and varied', async () => {
  const completed = { type: 'image_edit.completed', b64_json: 'BBBB' }
  const pictures = json({ created: 1, data: [{ b64_json: 'BBBB' }] })
  await using world = await worldOf(pictures, typedSse(typedEvent(completed)), pictures)
  const { images } = world.sdk
  const image = await toFile(Buffer.from('picture'), 'a.png', { type: 'image/png' })
  const asked = { model: 'm1', image: [image, image], prompt: 'A hat' }
  expect((await images.edit(asked)).data?.[0]?.b64_json).toBe('BBBB')
  const form = await formOf(await world.provider.arrived())
  expect([form.getAll('image[]').length, form.get('prompt')]).toEqual([2, 'A hat'])
  const types: string[] = []
  for await (const event of await images.edit({ ...asked, stream: true })) types.push(event.type)
  expect(types).toEqual([completed.type])
  expect((await images.createVariation({ model: 'm1', image })).data?.[0]?.b64_json).toBe('BBBB')
})

test('a refusal of a form is an error with its field', async () => {
  await using world = await worldOf(json({ text: 'Hi' }))
  const file = await sound(100)
  const refused = await world.sdk.audio.transcriptions.create({ file, model: '' }).catch((error: unknown) => error)
  expect(refused).toMatchObject({ status: 400, param: 'model' })
})
