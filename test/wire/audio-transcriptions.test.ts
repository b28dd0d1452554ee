import { expect, test } from 'bun:test'
import { json, script, send } from '../support/script.ts'
import { balanceOf, errorOf, settlementOf } from '../support/wire-chat.ts'
import {
  FORM_BOUNDARY,
  type FormPart,
  formBytes,
  operate,
  operationWorld,
  sendForm,
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

test('a text comes as it is, with the mark of its encoding', async () => {
  const words = '\u{feff}{curly} words\n'
  await using world = await operationWorld(BY_REQUEST, text(words))
  const answer = sendForm(world.gateway, PATH, formBytes(file, model(), format('text')))
  expect((await answer.head()).header('content-type')).toBe('text/plain; charset=utf-8')
  expect(await answer.text()).toBe(words)
  expect((await world.provider.arrived()).header('accept')).toBe('*/*')
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
