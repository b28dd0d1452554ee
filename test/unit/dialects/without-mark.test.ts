import { expect, test } from 'bun:test'
import { dialectOf } from '../../../src/dialects/index.ts'
import { withoutMark } from '../../../src/dialects/without-mark.ts'

test('a byte order mark goes, and nothing else', () => {
  for (const text of ['', '{}', 'ï»', '\u{feff}'.slice(1)]) {
    const bytes = Buffer.from(text)
    expect(withoutMark(bytes)).toBe(bytes)
  }
  expect(Buffer.from(withoutMark(Buffer.from('\u{feff}{"ü":1}'))).toString()).toBe('{"ü":1}')
})

test.each([
  ['openai', 'chat.completions', '{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}'],
  ['openai', 'embeddings', '{"data":[]}'],
  ['openai', 'responses', '{"status":"completed","output":[]}'],
  ['openai', 'responses.input_tokens', '{"input_tokens":1}'],
  ['anthropic', 'messages', '{"content":[]}'],
] as const)('%s: a whole answer to %s may have one', (dialect, operation, answer) => {
  const view = { operation, model: 'm', showUsage: true }
  const reply = dialectOf(dialect).readReply(Buffer.from(`\u{feff}${answer}`), view)
  expect(reply.kind === 'answer' ? Buffer.from(reply.body).toString() : reply).toBe(answer)
})
