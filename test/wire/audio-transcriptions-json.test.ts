import { expect, test } from 'bun:test'
import { startGateway } from '../support/gateway.ts'
import { json, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { errorOf, settlementOf } from '../support/wire-chat.ts'
import { operate, operationWorld } from '../support/wire-operations.ts'

const BY_HOUR = { price: { input: '0', output: '0', per_audio_hour: '0.36' } }
const ANSWER = { text: 'Hi there', usage: { type: 'duration', seconds: 2.5 } }
const SOUND = Uint8Array.from({ length: 5000 }, (_, at) => (at * 7) % 256)
const asked = { language: 'en', input_audio: { data: Buffer.from(SOUND).toString('base64'), format: 'mp3' } }

/** What a provider was sent, as another reader of forms understands it. */
async function formOf(request: { readonly body: Uint8Array; header(name: string): string | null }) {
  const headers = { 'content-type': request.header('content-type') ?? '' }
  const fields = await new Response(new Uint8Array(request.body), { headers }).formData()
  const file = fields.get('file')
  fields.delete('file')
  return { fields: Object.fromEntries(fields), sound: file instanceof Blob ? await file.bytes() : null }
}

test.each(['/v1', '/api/v1'])(
  'a transcription asked in JSON below %s reaches the provider as a form',
  async (prefix) => {
    await using world = await operationWorld(BY_HOUR, json(ANSWER))
    const answer = operate(world.gateway, `${prefix}/audio/transcriptions`, { ...asked, user: 'somebody' })
    expect(JSON.parse(await answer.text())).toMatchObject(ANSWER)
    const request = await world.provider.arrived()
    expect(await formOf(request)).toEqual({ fields: { model: 'provider-m1', language: 'en' }, sound: SOUND })
    expect(request.framingIntact).toBe(true)
    expect(await settlementOf(world.gateway)).toMatchObject({ usage: { audio_ms: 2500 }, charged_nano: 250_000 })
  },
)

test('its wishes about routing hold, and another backend gets the whole form when one fails', async () => {
  await using one = await scriptedProvider()
  await using other = await scriptedProvider()
  await using gateway = await startGateway({
    offers: {
      m1: [
        { provider: one, ...BY_HOUR },
        { provider: other, ...BY_HOUR },
      ],
    },
  })
  other.script(status(500, 'x'))
  one.script(json(ANSWER))
  const provider = { order: ['b1', 'b0'] }
  const answer = operate(gateway, '/api/v1/audio/transcriptions', { ...asked, provider })
  expect(JSON.parse(await answer.text())).toMatchObject({ text: 'Hi there' })
  for (const backend of [other, one])
    expect(await formOf(await backend.arrived())).toEqual({
      fields: { model: 'provider-m1', language: 'en' },
      sound: SOUND,
    })
})

test('what is wrong with it is told with its place, and reaches nobody', async () => {
  await using world = await operationWorld(BY_HOUR)
  const errorFor = async (body: object | string, path = '/v1/audio/transcriptions') =>
    errorOf(operate(world.gateway, path, body))
  expect(await errorFor({})).toMatchObject({ code: 'invalid_request', param: 'input_audio' })
  expect(await errorFor('{"model":"m1",')).toMatchObject({ code: 'invalid_json' })
  const odd = { ...asked, input_audio: { data: '???', format: 'mp3' } }
  expect(await errorFor(odd)).toMatchObject({ code: 'invalid_request', param: 'input_audio.data' })
  // Where providers have no such JSON, nothing is made of it.
  expect(await errorFor(asked, '/v1/audio/translations')).toMatchObject({ code: 'invalid_request' })
  expect(world.provider.requests).toEqual([])
})
