import { describe, expect, test } from 'bun:test'
import { close, json, script, send } from '../support/script.ts'
import { balanceOf, errorOf, settlementOf } from '../support/wire-chat.ts'
import {
  FORM_BOUNDARY,
  type FormPart,
  formBytes,
  operate,
  operationWorld,
  sendForm,
  typedEvent,
  typedSse,
} from '../support/wire-operations.ts'

const PATH = '/v1/audio/transcriptions'
const BY_HOUR = { price: { input: '0', output: '0', per_audio_hour: '0.36' } }
const BY_REQUEST = { price: { input: '0', output: '0', per_request: '0.001' } }
const NANO_PER_SECOND = 100_000
const SOUND = Uint8Array.from({ length: 5000 }, (_, at) => (at * 7) % 256)
const file: FormPart = { name: 'file', fileName: 'a.mp3', value: SOUND }
const model = (name = 'm1'): FormPart => ({ name: 'model', value: name })
const format = (value: string): FormPart => ({ name: 'response_format', value })
const text = (body: string) =>
  script({ status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } }, send(body), { end: true })

test('the form reaches the provider byte for byte, but for the model; its usage is paid', async () => {
  const answered = { text: 'Hi there', usage: { type: 'duration', seconds: 2.5 } }
  await using world = await operationWorld(BY_HOUR, json(answered))
  const parts = (name: string) => [file, model(name), { name: 'temperature', value: '0' }]
  const answer = sendForm(world.gateway, PATH, formBytes(...parts('m1')))
  expect((await answer.head()).header('content-type')).toBe('application/json')
  expect(JSON.parse(await answer.text())).toEqual(answered)
  const request = await world.provider.arrived()
  expect(request.target).toBe(PATH)
  expect(request.header('content-type')).toBe(`multipart/form-data; boundary=${FORM_BOUNDARY}`)
  expect(request.framingIntact).toBe(true)
  expect(request.body.equals(formBytes(...parts('provider-m1')))).toBe(true)
  expect(await settlementOf(world.gateway)).toMatchObject({
    usage: { audio_ms: 2500 },
    usage_source: 'reported',
    charged_nano: 2.5 * NANO_PER_SECOND,
  })
})

describe('what is paid', () => {
  const paid = async (
    offer: Parameters<typeof operationWorld>[0],
    form: FormPart[],
    provider: Parameters<typeof operationWorld>[1],
  ) => {
    await using world = await operationWorld(offer, provider)
    const answer = sendForm(world.gateway, PATH, formBytes(model(), ...form))
    expect(await answer.status()).toBe(200)
    await answer.text()
    return settlementOf(world.gateway)
  }

  test('tokens of sound and text, by kind', async () => {
    const usage = {
      type: 'tokens',
      input_tokens: 30,
      input_token_details: { text_tokens: 10, audio_tokens: 20 },
      output_tokens: 5,
      total_tokens: 35,
    }
    const price = { input: '1', output: '2', input_audio: '6' }
    expect(await paid({ price }, [file], json({ text: 'Hi', usage }))).toMatchObject({
      usage: { input: 10, input_audio: 20, output: 5 },
      charged_nano: (10 * 1 + 20 * 6 + 5 * 2) * 1000,
    })
  })

  test('the duration of a verbose answer', async () => {
    const verbose = { task: 'transcribe', duration: 12.34, text: 'Hi', segments: [] }
    expect(await paid(BY_HOUR, [file, format('verbose_json')], json(verbose))).toMatchObject({
      usage: { audio_ms: 12_340 },
      charged_nano: 12.34 * NANO_PER_SECOND,
    })
  })

  test('the last time of subtitles', async () => {
    const vtt = 'WEBVTT\n\n00:00.000 --> 00:01.500\nHi\n\n01:00:01.500 --> 01:00:03.250\nthere\n'
    expect(await paid(BY_HOUR, [file, format('vtt')], text(vtt))).toMatchObject({ usage: { audio_ms: 3_603_250 } })
    const srt = '1\n00:00:00,000 --> 00:00:01,500\nHi\n'
    expect(await paid(BY_HOUR, [file, format('srt')], text(srt))).toMatchObject({ usage: { audio_ms: 1500 } })
  })

  test('by the file where nothing is told: WAV says its length', async () => {
    const wave = Buffer.alloc(44 + 16_000)
    wave.write('RIFF', 0)
    wave.write('WAVEfmt ', 8)
    wave.writeUInt32LE(8000, 28)
    const sound = { name: 'file', fileName: 'a.wav', value: wave }
    const expected = { usage: { audio_ms: 2000 }, usage_source: 'estimate', charged_nano: 2 * NANO_PER_SECOND }
    expect(await paid(BY_HOUR, [sound, format('text')], text('Hi\n'))).toMatchObject(expected)
    expect(await paid(BY_HOUR, [sound], json({ text: 'Hi' }))).toMatchObject(expected)
  })

  test('the request', async () => {
    expect(await paid(BY_REQUEST, [file, format('text')], text('Hi\n'))).toMatchObject({ charged_nano: 1_000_000 })
  })
})

test('a text that tells nothing of its length is not for who pays before, where time is paid', async () => {
  await using world = await operationWorld(BY_HOUR, text('Hi\n'))
  expect(await errorOf(sendForm(world.gateway, PATH, formBytes(model(), file, format('text'))))).toMatchObject({
    status: 503,
    code: 'no_backend',
    message: expect.stringContaining('no price per request'),
  })
  expect(world.provider.requests).toEqual([])
})

test('a text comes as it is', async () => {
  await using world = await operationWorld(BY_REQUEST, text('{curly} words\n'))
  const answer = sendForm(world.gateway, PATH, formBytes(file, model(), format('text')))
  expect((await answer.head()).header('content-type')).toBe('text/plain; charset=utf-8')
  expect(await answer.text()).toBe('{curly} words\n')
  expect((await world.provider.arrived()).header('accept')).toBe('*/*')
})

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

test('what is no transcript is tried elsewhere or told, and costs nothing', async () => {
  await using world = await operationWorld(
    BY_REQUEST,
    json(400, { error: { message: 'no such sound', code: 'bad_sound', param: 'file' } }),
    json({ error: { message: 'no such sound', code: 400 } }),
    json({ words: [] }),
    text('Hi'),
    text(''),
    text('<!DOCTYPE html><p>busy</p>'),
  )
  const ask = (...more: FormPart[]) => errorOf(sendForm(world.gateway, PATH, formBytes(model(), file, ...more)))
  expect(await ask()).toMatchObject({ status: 400, code: 'bad_sound', param: 'file' })
  expect(await ask()).toMatchObject({ status: 400, message: 'no such sound' })
  expect(await ask()).toMatchObject({ status: 502, code: 'provider_failed' })
  expect(await ask()).toMatchObject({ status: 502, code: 'provider_failed' })
  expect(await ask(format('text'))).toMatchObject({ status: 502, code: 'provider_failed' })
  expect(await ask(format('text'))).toMatchObject({ status: 502, code: 'provider_failed' })
  expect(await balanceOf(world.gateway)).toBe(1_000_000_000)
})

test('what is no form, or one with a fault, is told before anything is sent', async () => {
  await using world = await operationWorld(BY_HOUR, json({ text: 'Hi' }))
  const ask = (...parts: FormPart[]) => errorOf(sendForm(world.gateway, PATH, formBytes(...parts)))
  expect(await errorOf(operate(world.gateway, PATH, { file: 'x' }))).toMatchObject({
    status: 400,
    code: 'invalid_request',
    message: expect.stringContaining('multipart/form-data'),
  })
  expect(await ask(file)).toMatchObject({ status: 400, param: 'model' })
  expect(await ask(model())).toMatchObject({ status: 400, param: 'file' })
  expect(await ask(file, model(), model('m2'))).toMatchObject({ status: 400, code: 'duplicate_field', param: 'model' })
  expect(await ask(file, { ...model(), fileName: 'm' })).toMatchObject({ status: 400, param: 'model' })
  expect(await ask(file, { name: 'model', value: Uint8Array.of(0xff) })).toMatchObject({ status: 400, param: 'model' })
  expect(await ask(file, model('x'.repeat(5000)))).toMatchObject({ status: 400, param: 'model' })
  const cut = formBytes(file, model()).subarray(0, -8)
  expect(await errorOf(sendForm(world.gateway, PATH, cut))).toMatchObject({
    status: 400,
    message: expect.stringContaining('last boundary'),
  })
  expect(world.provider.requests).toEqual([])
})

test('translations are asked and paid alike', async () => {
  await using world = await operationWorld(BY_HOUR, json({ text: 'Hi', duration: 1 }))
  const path = '/v1/audio/translations'
  const answer = sendForm(world.gateway, path, formBytes(file, model()))
  expect(JSON.parse(await answer.text())).toEqual({ text: 'Hi', duration: 1 })
  expect((await world.provider.arrived()).target).toBe(path)
  expect(await settlementOf(world.gateway)).toMatchObject({ usage: { audio_ms: 1000 } })
})

test('on /api/v1 the answer tells what it cost', async () => {
  await using world = await operationWorld(BY_HOUR, json({ text: 'Hi', duration: 1 }))
  const answer = sendForm(world.gateway, '/api/v1/audio/transcriptions', formBytes(file, model()))
  expect((await answer.head()).header('x-generation-id')).toMatch(/^gen-/)
  expect(JSON.parse(await answer.text())).toEqual({
    usage: { is_byok: false, cost: 0.0001 },
    text: 'Hi',
    duration: 1,
  })
})
