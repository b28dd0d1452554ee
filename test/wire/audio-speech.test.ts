import { expect, test } from 'bun:test'
import { close, gate, hang, json, type Step, script, sendBytes } from '../support/script.ts'
import { balanceOf, errorOf, recordOf, settlementOf, timingOf } from '../support/wire-chat.ts'
import { operate, operationWorld, typedEvent, typedSse } from '../support/wire-operations.ts'

const PATH = '/v1/audio/speech'
const SPEECH = { input: 'Grüße', voice: 'alloy', response_format: 'mp3' }
const BY_CHARACTER = { price: { input: '0', output: '0', per_million_characters: '15' } }
/** Any bytes: also those that begin a document. */
const FIRST = Uint8Array.of(0x7b, 0xff, 0x00, 0x0d, 0x0a, 0x22)
const SECOND = Uint8Array.from({ length: 70_000 }, (_, at) => at % 251)
const HEAD: Step = { status: 200, headers: { 'content-type': 'audio/mpeg' } }
const sound = (...steps: Step[]) => script(HEAD, ...steps)
const DONE = { type: 'speech.audio.done', usage: { input_tokens: 3, output_tokens: 40, total_tokens: 43 } }

test('the sound comes as it is made, byte for byte, in its content type, and each character is paid', async () => {
  const playing = sound(sendBytes(FIRST), gate('later'), sendBytes(SECOND), { end: true })
  await using world = await operationWorld(BY_CHARACTER, playing)
  const answer = operate(world.gateway, PATH, SPEECH)
  const head = await answer.head()
  expect(head.header('content-type')).toBe('audio/mpeg')
  expect(timingOf(head).has('upstream-1')).toBe(true)
  await answer.until('\r\n"')
  expect(answer.bodySoFar).toEqual(Buffer.from(FIRST))
  world.provider.release('later')
  expect(await answer.ended()).toBe('complete')
  expect(answer.bodySoFar).toEqual(Buffer.concat([FIRST, SECOND]))
  const request = await world.provider.arrived()
  expect([request.target, request.header('accept')]).toEqual(['/v1/audio/speech', '*/*'])
  expect(request.json()).toEqual({ ...SPEECH, model: 'provider-m1' })
  expect(await settlementOf(world.gateway)).toMatchObject({ usage: { characters: 5 }, charged_nano: 5 * 15_000 })
})

test('a sound that is cut is broken off: nobody takes a part for the whole; it is paid', async () => {
  await using world = await operationWorld(BY_CHARACTER, sound(sendBytes(FIRST), close()))
  const answer = operate(world.gateway, PATH, SPEECH)
  expect(await answer.ended()).toBe('cut')
  expect(answer.bodySoFar).toEqual(Buffer.from(FIRST))
  const record = await recordOf(world.gateway, await answer.head())
  expect(record).toMatchObject({
    error_code: 'stream_broken',
    settlement: { reason: 'provider_broken', charged_nano: 75_000 },
  })
})

test('a caller who leaves ends it at the provider', async () => {
  await using world = await operationWorld(BY_CHARACTER, sound(sendBytes(FIRST), hang()))
  const answer = operate(world.gateway, PATH, SPEECH)
  await answer.until('\r\n"')
  answer.hangUp()
  await world.provider.peerClosed()
  expect(await settlementOf(world.gateway)).toMatchObject({ reason: 'client_gone', charged_nano: 75_000 })
})

test('what fails before the first byte is tried elsewhere or told, and costs nothing', async () => {
  await using world = await operationWorld(
    BY_CHARACTER,
    json(400, { error: { message: 'no such voice', code: 'bad_voice', param: 'voice' } }),
    json({ error: { message: 'no such voice', code: 400 } }),
    json({ audio: 'AAAA' }),
    sound({ end: true }),
  )
  const ask = () => errorOf(operate(world.gateway, PATH, SPEECH))
  expect(await ask()).toMatchObject({ status: 400, code: 'bad_voice', param: 'voice' })
  expect(await ask()).toMatchObject({ status: 400, message: 'no such voice' })
  expect(await ask()).toMatchObject({ status: 502, code: 'provider_failed' })
  expect(await ask()).toMatchObject({ status: 502, code: 'provider_failed' })
  expect(await balanceOf(world.gateway)).toBe(1_000_000_000)
})

test('events are asked for by stream_format, and their usage is paid', async () => {
  const delta = { type: 'speech.audio.delta', audio: 'AAAA' }
  const events = typedSse(typedEvent(delta), typedEvent(DONE))
  await using world = await operationWorld({}, events)
  const asked = { ...SPEECH, stream_format: 'sse' }
  const answer = operate(world.gateway, PATH, asked)
  expect((await answer.head()).header('content-type')).toContain('text/event-stream')
  await answer.text()
  expect(answer.events.map(({ type, data }) => [type, JSON.parse(data)])).toEqual([
    [delta.type, delta],
    [DONE.type, DONE],
  ])
  expect((await world.provider.arrived()).json()).toEqual({ ...asked, model: 'provider-m1' })
  expect(await settlementOf(world.gateway)).toMatchObject({
    usage: { input: 3, output: 40, characters: 5 },
    charged_nano: (3 * 4 + 40 * 10) * 1000,
  })
})

test('bytes tell no usage: a price of tokens alone does not serve who pays before', async () => {
  await using world = await operationWorld({}, sound(sendBytes(FIRST), { end: true }))
  expect(await errorOf(operate(world.gateway, PATH, SPEECH))).toMatchObject({
    status: 503,
    code: 'no_backend',
    message: expect.stringContaining('no price per request or per million characters'),
  })
  expect(world.provider.requests).toEqual([])
})

test('on /api/v1 the sound is the same, and its id stands in a header', async () => {
  await using world = await operationWorld(BY_CHARACTER, sound(sendBytes(FIRST), { end: true }))
  const answer = operate(world.gateway, '/api/v1/audio/speech', SPEECH)
  expect((await answer.head()).header('x-generation-id')).toMatch(/^gen-/)
  expect(await answer.ended()).toBe('complete')
  expect(answer.bodySoFar).toEqual(Buffer.from(FIRST))
})
