import { expect, test } from 'bun:test'
import { AnswerReader } from '../../../../src/dialects/openai/answer-reader.ts'

function read(value: unknown): { answer: AnswerReader; seen: [number, boolean][] } {
  const seen: [number, boolean][] = []
  const answer = new AnswerReader((index, isFinished) => seen.push([index, isFinished]))
  const bytes = Buffer.from(JSON.stringify(value))
  answer.read(bytes, 0, bytes.length)
  return { answer, seen }
}

const delta = (value: object) => read({ choices: [{ index: 0, delta: value, finish_reason: null }] }).answer

test('choices are told by index, by place where they have none', () => {
  expect(
    read({ choices: [{ index: 12, finish_reason: 'stop' }, {}, 'odd', { index: null, finish_reason: '' }] }).seen,
  ).toEqual([
    [12, true],
    [1, false],
    [3, false],
  ])
})

test('what is content, and what is none', () => {
  const contents = [
    { content: 'a' },
    { content: [{ type: 'text', text: 'a' }] },
    { refusal: 'a' },
    { reasoning: 'a' },
    { reasoning_content: 'a' },
    { reasoning_details: [{ text: 'a' }] },
    { tool_calls: [{ index: 0, function: { arguments: '' } }] },
    { function_call: { name: 'a' } },
    { audio: { data: 'QUJD' } },
    { images: [{ image_url: { url: 'https://a' } }] },
    { content: `data:image/png;base64,${'QUJD'.repeat(20)}` },
  ]
  const silents = [
    {},
    { role: 'assistant' },
    { content: '' },
    { content: null },
    { content: [] },
    { refusal: null },
    { reasoning: '' },
    { tool_calls: [] },
    { tool_calls: null },
    { function_call: null },
    { audio: null },
    { audio: {} },
    { annotations: [{ a: 'b' }] },
  ]
  for (const value of contents) expect([value, delta(value).hasContent]).toEqual([value, true])
  for (const value of silents) expect([value, delta(value).hasContent]).toEqual([value, false])
})

test('one reader serves many answers: nothing of the last is left', () => {
  const answer = new AnswerReader(() => {})
  const full = Buffer.from(
    '{"model":"m","error":1,"usage":{"prompt_tokens":1,"completion_tokens":1},"choices":[{"message":{"content":"a"}}]}',
  )
  expect(answer.read(full, 0, full.length)).toBe(true)
  expect([answer.choices, answer.hasContent, answer.textBytes, answer.hasUsage, answer.error === null]).toEqual([
    1,
    true,
    1,
    true,
    false,
  ])
  expect(answer.read(Buffer.from('{}'), 0, 2)).toBe(true)
  expect([
    answer.choices,
    answer.hasContent,
    answer.textBytes,
    answer.hasUsage,
    answer.usage,
    answer.error,
    answer.modelStart,
  ]).toEqual([-1, false, 0, false, null, null, -1])
})

test('choices are objects; of those that are given twice the last count', () => {
  const count = (text: string) => {
    const answer = new AnswerReader(() => {})
    const bytes = Buffer.from(text)
    answer.read(bytes, 0, bytes.length)
    return answer.choices
  }
  expect(count('{"choices":["odd",{},null]}')).toBe(1)
  expect(count('{"choices":[{}],"choices":null}')).toBe(-1)
  expect(count('{"choices":null,"choices":[{}]}')).toBe(1)
})
