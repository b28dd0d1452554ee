import { expect, test } from 'bun:test'
import { NO_END, type SaidEvent, streamSum, summed } from '../../../src/dialects/stream-sum.ts'

const STREAM = Buffer.from('event: a\ndata: 1\n\n: wait\n\ndata:\n\ndata: [DONE]\n\ndata: {"b":\ndata: 2}')

test('each event that says something, to the last one without its blank line', () => {
  let said: SaidEvent[] = []
  const sum = streamSum(STREAM, 100, (events) => {
    said = [...events]
    return summed('answer', { said: said.length })
  })
  expect(said).toEqual([
    { name: 'a', text: '1' },
    { name: null, text: '[DONE]' },
    { name: null, text: '{"b":\n2}' },
  ])
  expect(sum).toEqual({ kind: 'answer', body: Buffer.from('{"said":3}') })
})

test('an event that is no JSON, too deep or too large makes the stream no answer; a bug stays one', () => {
  const parsed = (events: Iterable<SaidEvent>) => {
    for (const { text } of events) JSON.parse(text)
    return NO_END
  }
  expect(streamSum(STREAM, 100, parsed)).toEqual({
    kind: 'not_an_answer',
    message: 'an event of the stream is not JSON',
  })
  const deep = Buffer.from(`data: ${'['.repeat(200_000)}${']'.repeat(200_000)}\n\n`)
  const written = (events: Iterable<SaidEvent>) =>
    summed(
      'answer',
      [...events].map(({ text }) => JSON.parse(text)),
    )
  expect(streamSum(deep, 1_000_000, written)).toEqual({
    kind: 'not_an_answer',
    message: 'an event of the stream is nested too deeply',
  })
  expect(streamSum(STREAM, 8, parsed)).toEqual({
    kind: 'not_an_answer',
    message: 'an event is larger than 8 bytes',
  })
  expect(() =>
    streamSum(STREAM, 100, () => {
      throw new TypeError('bug')
    }),
  ).toThrow(TypeError)
})
