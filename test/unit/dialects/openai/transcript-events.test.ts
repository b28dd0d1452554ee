import { expect, test } from 'bun:test'
import { transcriptEvents } from '../../../../src/dialects/openai/transcript-events.ts'

const eventsOf = (answer: string): unknown[] =>
  Buffer.from(transcriptEvents(Buffer.from(answer)))
    .toString()
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? []
      const parsed = JSON.parse(data ?? '')
      expect(parsed.type).toBe(name)
      return parsed
    })

test('the text in pieces, then the whole with what was used', () => {
  const usage = { type: 'tokens', input_tokens: 2, output_tokens: 1, total_tokens: 3 }
  expect(eventsOf(JSON.stringify({ text: 'Hi', usage }))).toEqual([
    { type: 'transcript.text.delta', delta: 'Hi' },
    { type: 'transcript.text.done', text: 'Hi', usage },
  ])
})

test('a duration is its usage', () => {
  expect(eventsOf('{"text":"Hi","duration":2.5,"segments":[]}').at(-1)).toEqual({
    type: 'transcript.text.done',
    text: 'Hi',
    usage: { type: 'duration', seconds: 2.5 },
  })
})

test('a text alone, and a silence', () => {
  expect(eventsOf('Hi there\n').at(-1)).toEqual({ type: 'transcript.text.done', text: 'Hi there\n' })
  expect(eventsOf('[1]').at(-1)).toEqual({ type: 'transcript.text.done', text: '[1]' })
  expect(eventsOf('{"text":""}')).toEqual([{ type: 'transcript.text.done', text: '' }])
})
