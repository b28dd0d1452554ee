import { expect, test } from 'bun:test'
import { startGateway } from '../support/gateway.ts'
import { json } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { settlementOf } from '../support/wire-chat.ts'
import {
  type FormPart,
  formBytes,
  formHeaders,
  operationWorld,
  sendForm,
  typedEvent,
  typedSse,
} from '../support/wire-operations.ts'

const PICTURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const picture = (name: string): FormPart => ({ name, fileName: `${name}.png`, value: PICTURE })
const field = (name: string, value: string): FormPart => ({ name, value })
const BY_PICTURE = { price: { input: '0', output: '0', per_image: '0.04' } }
const USAGE = {
  input_tokens: 50,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
  output_tokens: 272,
  total_tokens: 322,
}

test('pictures are changed: the form as it came, and its usage is paid', async () => {
  const answered = { created: 1, data: [{ b64_json: 'AAAA' }], usage: USAGE }
  await using world = await operationWorld({ price: { input: '5', output: '40', input_image: '10' } }, json(answered))
  const parts = (model: string) => [
    picture('image[]'),
    picture('image[]'),
    picture('mask'),
    field('prompt', 'A hat'),
    field('model', model),
  ]
  const answer = sendForm(world.gateway, '/v1/images/edits', formBytes(...parts('m1')))
  expect(JSON.parse(await answer.text())).toEqual(answered)
  const request = await world.provider.arrived()
  expect([request.target, request.body.equals(formBytes(...parts('provider-m1')))]).toEqual(['/v1/images/edits', true])
  expect(await settlementOf(world.gateway)).toMatchObject({
    usage: { input: 10, input_image: 40, output: 272, images: 1 },
    charged_nano: (10 * 5 + 40 * 10 + 272 * 40) * 1000,
  })
})

test('each picture that is asked for is paid where it has its price', async () => {
  const answered = { created: 1, data: [{ url: 'https://x' }, { url: 'https://y' }] }
  await using world = await operationWorld(BY_PICTURE, json(answered))
  const form = formBytes(picture('image'), field('n', '2'), field('prompt', 'A hat'), field('model', 'm1'))
  const answer = sendForm(world.gateway, '/v1/images/edits', form)
  expect(await answer.status()).toBe(200)
  await answer.text()
  expect(await settlementOf(world.gateway)).toMatchObject({ usage: { images: 2 }, charged_nano: 80_000_000 })
})

test('pictures come as events', async () => {
  const partial = { type: 'image_edit.partial_image', b64_json: 'AAAA', partial_image_index: 0 }
  const completed = { type: 'image_edit.completed', b64_json: 'BBBB', usage: USAGE }
  await using world = await operationWorld(BY_PICTURE, typedSse(typedEvent(partial), typedEvent(completed)))
  const parts = [picture('image'), field('prompt', 'A hat'), field('model', 'm1'), field('stream', 'true')]
  const answer = sendForm(world.gateway, '/v1/images/edits', formBytes(...parts))
  await answer.text()
  expect(answer.events.map(({ type, data }) => [type, JSON.parse(data)])).toEqual([
    [partial.type, partial],
    [completed.type, completed],
  ])
  expect(await settlementOf(world.gateway)).toMatchObject({ charged_nano: 40_000_000 })
})

test('whole pictures in place of events are told as events', async () => {
  await using world = await operationWorld(BY_PICTURE, json({ created: 1, data: [{ b64_json: 'AAAA' }] }))
  const parts = [picture('image'), field('prompt', 'A hat'), field('model', 'm1'), field('stream', 'true')]
  const answer = sendForm(world.gateway, '/v1/images/edits', formBytes(...parts))
  await answer.text()
  expect(answer.events.map(({ type }) => type)).toEqual(['image_edit.completed'])
})

test('a variation need not name its model: the one that makes them is meant, and its part is put in', async () => {
  const answered = { created: 1, data: [{ url: 'https://x' }] }
  await using provider = await scriptedProvider()
  provider.script(json(answered))
  await using gateway = await startGateway({ offers: { 'dall-e-2': [{ provider, ...BY_PICTURE }] } })
  const answer = sendForm(gateway, '/v1/images/variations', formBytes(picture('image'), field('n', '1')))
  expect(JSON.parse(await answer.text())).toEqual(answered)
  const { body, framingIntact } = await provider.arrived()
  expect(framingIntact).toBe(true)
  const form = await new Response(body, { headers: formHeaders(gateway) }).formData()
  expect([form.get('model'), form.get('n')]).toEqual(['provider-dall-e-2', '1'])
  expect(await settlementOf(gateway)).toMatchObject({ charged_nano: 40_000_000 })
})
