import { describe, expect, test } from 'bun:test'
import { openForm } from '../../../../src/dialects/openai/open-form.ts'
import { FORM_BOUNDARY, type FormPart, formBytes } from '../../../support/wire-operations.ts'

const TYPE = `multipart/form-data; boundary=${FORM_BOUNDARY}`
const field = (name: string, value: string): FormPart => ({ name, value })
const file = (name = 'file', bytes = 8000): FormPart => ({ name, fileName: 'a', value: Buffer.alloc(bytes) })

function factsOf(operation: Parameters<typeof openForm>[0], ...parts: FormPart[]) {
  const form = openForm(operation, TYPE)
  const body = formBytes(...parts)
  form.push(body)
  form.end()
  return { ...form.facts({ body, bodyBytes: body.length, isWhole: true }), said: Buffer.from(form.said).toString() }
}

test('a content type that is no form is a fault', () => {
  for (const type of ['', 'application/json', 'multipart/form-data'])
    expect(() => openForm('audio.transcriptions', type)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
})

test('a sound is reckoned by its file, and asks for what its fields say', () => {
  const parts = [file(), field('model', 'm'), field('prompt', 'Grüße'), field('stream', 'true'), field('x', 'y')]
  expect(factsOf('audio.transcriptions', ...parts)).toMatchObject({
    model: 'm',
    bodyType: TYPE,
    stream: true,
    promptTextBytes: 7,
    promptMediaUnits: 20,
    outputLimit: 64 + 12,
    asked: { audioMs: 2000 },
    said: '{"model":"m","stream":true}',
  })
})

test('how the text is asked for decides what it must be paid by', () => {
  const pricedBy = (format: string) =>
    factsOf('audio.translations', field('response_format', format), file(), field('model', 'm'))
  expect(pricedBy('json')).not.toHaveProperty('pricedBy')
  expect(pricedBy('verbose_json')).not.toHaveProperty('textual')
  expect(pricedBy('vtt')).toMatchObject({ textual: 'always', pricedBy: ['perRequest', 'perAudioHour'] })
  expect(pricedBy('text')).toMatchObject({ textual: 'always', pricedBy: ['perRequest'] })
})

test('pictures are counted, those that come and those that are asked for', () => {
  const parts = [file('image[]'), file('image[]'), field('model', 'm'), field('prompt', 'A hat'), field('n', '3')]
  expect(factsOf('images.edits', ...parts, field('quality', 'low'))).toMatchObject({
    promptMediaUnits: 2 * 1105,
    promptTextBytes: 5,
    asked: { images: 3, outputImage: 3 * 408 },
  })
  for (const n of [' 3', '+3', '3.0', '0_3'])
    expect(factsOf('images.variations', file('image'), field('n', n)).asked).toMatchObject({
      images: 3,
    })
  expect(factsOf('images.variations', file('image'), field('n', 'many'))).toMatchObject({
    model: 'dall-e-2',
    asked: { images: 1 },
    layout: { model: null, insertAt: 0 },
  })
})

describe('a form that is still coming', () => {
  test('is enough once its model is known and a file has begun', () => {
    const form = openForm('audio.transcriptions', TYPE)
    const body = formBytes(field('model', 'm'), file('file', 50_000), field('response_format', 'text'))
    const begun = body.subarray(0, 10_000)
    form.push(body.subarray(0, 100))
    expect(form.isEnough).toBe(false)
    form.push(body.subarray(100, 10_000))
    expect(form.isEnough).toBe(true)
    const facts = form.facts({ body: begun, bodyBytes: body.length, isWhole: false })
    expect(facts).toMatchObject({ isOpen: true, textual: 'maybe' })
    expect(facts.asked?.audioMs).toBeGreaterThan(50_000 / 4)
    form.push(body.subarray(10_000))
    form.end()
    expect(form.isEnough).toBe(false)
  })

  test('is as long as may be where nobody told', () => {
    const form = openForm('audio.transcriptions', TYPE)
    const body = formBytes(field('model', 'm'), file()).subarray(0, 1000)
    form.push(body)
    expect(form.facts({ body, bodyBytes: null, isWhole: false }).asked).toEqual({ audioMs: 6_553_600 })
  })
})
