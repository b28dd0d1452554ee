import { describe, expect, test } from 'bun:test'
import { openResponseStream } from '../../../../src/dialects/openai/response-stream.ts'

const VIEW = { operation: 'responses', model: 'demo/fast', showUsage: true } as const
const bytesOf = (...events: readonly object[]): Buffer =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
const kindsOf = (...events: readonly object[]) =>
  openResponseStream(VIEW)
    .push(bytesOf(...events))
    .map(({ kind }) => kind)

describe('what makes the commit point', () => {
  const added = (type: string) => ({ type: 'response.output_item.added', item: { id: 'a', type } })
  test.each([
    ['text', { type: 'response.output_text.delta', delta: 'H' }, 'content'],
    ['no text', { type: 'response.output_text.delta', delta: '' }, 'silent'],
    ['reasoning', { type: 'response.reasoning_summary_text.delta', delta: 'H' }, 'content'],
    ['a refusal', { type: 'response.refusal.delta', delta: 'N' }, 'content'],
    ['arguments', { type: 'response.function_call_arguments.delta', delta: '{' }, 'content'],
    ['a call', added('function_call'), 'content'],
    ['a message that is begun', added('message'), 'silent'],
    ['reasoning that is begun', added('reasoning'), 'silent'],
    ['an item', { type: 'response.output_item.done', item: { id: 'a', type: 'message' } }, 'content'],
    ['a picture', { type: 'response.image_generation_call.partial_image', partial_image_b64: 'AA' }, 'content'],
    ['the beginning', { type: 'response.created', response: { id: 'resp_1' } }, 'silent'],
    ['an unknown event', { type: 'response.other' }, 'silent'],
    ['the end', { type: 'response.completed', response: {} }, 'content'],
  ])('%s', (_name, event, kind) => expect(kindsOf(event)).toEqual([kind as 'content']))
})

test('nothing comes after the end, nor after a failure', () => {
  const delta = { type: 'response.output_text.delta', delta: 'H' }
  expect(kindsOf({ type: 'response.completed', response: {} }, delta)).toEqual(['content'])
  expect(kindsOf({ type: 'error', message: 'x' }, delta)).toEqual(['error'])
  expect(kindsOf({ error: { message: 'x' } }, delta)).toEqual(['error'])
})

test('events go on with what was said of them, in memory of their own', () => {
  const stream = openResponseStream(VIEW)
  const text =
    'event: response.created\ndata: {"type":"response.created","response":{"id":"r", "model":"x","n":1.0}}\n\n'
  const bytes = Buffer.from(text)
  const [event] = stream.push(bytes)
  bytes.fill(0)
  expect(Buffer.from(event?.bytes ?? []).toString()).toBe(text.replace('"x"', '"demo/fast"'))
})

test('an error that is ours goes on from its number and its response', () => {
  const stream = openResponseStream(VIEW)
  expect(stream.begun).toEqual({ sequence: 0, answer: null })
  stream.push(bytesOf({ type: 'response.created', sequence_number: 7, response: { id: 'r', model: 'x' } }))
  expect(stream.begun?.sequence).toBe(8)
  expect(Buffer.from(stream.begun?.answer ?? []).toString()).toBe('{"id":"r","model":"demo/fast"}')
  stream.push(bytesOf({ type: 'response.in_progress' }))
  expect(stream.begun?.sequence).toBe(9)
})

describe('what is kept', () => {
  test('its id at once, its items as they come', () => {
    const stream = openResponseStream(VIEW)
    expect(stream.stored).toBeNull()
    stream.push(bytesOf({ type: 'response.created', response: { id: 'r' } }))
    expect(stream.stored).toEqual({ id: 'r', items: [], usage: null })
    stream.push(bytesOf({ type: 'response.output_item.added', item: { id: 'a' } }))
    stream.push(bytesOf({ type: 'response.completed', response: { id: 'r', output: [{ id: 'a' }, { id: 'b' }] } }))
    expect(stream.stored).toEqual({ id: 'r', items: ['a', 'b'], usage: null })
  })

  test('nothing, where the provider says so', () => {
    const stream = openResponseStream(VIEW)
    stream.push(bytesOf({ type: 'response.created', response: { id: 'r', store: false } }))
    expect(stream.stored).toBeNull()
  })
})

test('an end without its blank line counts, one that never comes does not', () => {
  const stream = openResponseStream(VIEW)
  stream.push(bytesOf({ type: 'response.completed', response: { status: 'completed' } }).subarray(0, -2))
  expect(stream.finished).toBe(false)
  expect(stream.end().length).toBe(1)
  expect([stream.finished, stream.finishReason]).toEqual([true, 'completed'])
  expect(openResponseStream(VIEW).end()).toEqual([])
})
