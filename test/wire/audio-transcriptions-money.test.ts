import { describe, expect, test } from 'bun:test'
import { json, script, send } from '../support/script.ts'
import { errorOf, settlementOf } from '../support/wire-chat.ts'
import { type FormPart, formBytes, operationWorld, sendForm } from '../support/wire-operations.ts'

const PATH = '/v1/audio/transcriptions'
const BY_HOUR = { price: { input: '0', output: '0', per_audio_hour: '0.36' } }
const BY_REQUEST = { price: { input: '0', output: '0', per_request: '0.001' } }
const NANO_PER_SECOND = 100_000
const SOUND = Uint8Array.from({ length: 5000 }, (_, at) => (at * 7) % 256)
const file: FormPart = { name: 'file', fileName: 'a.mp3', value: SOUND }
const model = (): FormPart => ({ name: 'model', value: 'm1' })
const format = (value: string): FormPart => ({ name: 'response_format', value })
const text = (body: string) =>
  script({ status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } }, send(body), { end: true })

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
    wave.writeUInt16LE(1, 20)
    wave.writeUInt16LE(1, 22)
    wave.writeUInt32LE(8000, 24)
    wave.writeUInt32LE(8000, 28)
    wave.writeUInt16LE(8, 34)
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
