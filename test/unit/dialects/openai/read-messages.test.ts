import { expect, test } from 'bun:test'
import { readMessages } from '../../../../src/dialects/openai/read-messages.ts'
import { RequestProblem } from '../../../../src/dialects/request-problem.ts'
import { JsonReader } from '../../../../src/lib/index.ts'

function read(messages: unknown): { textBytes: number; mediaUnits: number } {
  const problem = new RequestProblem()
  const sum = readMessages(new JsonReader(Buffer.from(JSON.stringify(messages))), problem)
  problem.raise()
  return sum
}

test('text is counted in UTF-8 bytes, base64 and ids are not', () => {
  const base64 = 'QUJD'.repeat(100)
  const bare = read([{ role: 'user', content: '' }]).textBytes
  expect(read([{ role: 'user', content: 'é\n"😀' }]).textBytes - bare).toBe(8)
  expect(read([{ role: 'user', content: `data:image/png;base64,${base64}` }]).textBytes).toBe(bare)
  expect(
    read([{ role: 'user', content: '', tool_call_id: 'call_1', id: 'x', data: base64, url: 'https://a' }]).textBytes,
  ).toBe(bare)
  expect(read([{ role: 'user', content: [{ image_url: { url: `data:image/png;base64,${base64}` } }] }]).textBytes).toBe(
    bare,
  )
  expect(read([{ role: 'user', content: [{ text: 'abc' }, 'de'] }]).textBytes - bare).toBe(5)
})

test('text that only begins like a data URL is text', () => {
  const text = 'data:image/png;base64,QUJD and now write me a long story please'
  expect(read([{ role: 'user', content: text }]).textBytes).toBe(4 + text.length)
})

test('every message counts, whatever else it has', () => {
  const one = { role: 'assistant', content: null, reasoning: 'abc', annotations: [], parsed: { a: 'de' } }
  expect(read([one, one]).textBytes).toBe(2 * (9 + 5))
})

test('files that a provider keeps are named with their place', () => {
  const content = [
    { type: 'text', text: 'a' },
    { type: 'file', file: { file_id: 'file-1' } },
    { type: 'file', file: { file_data: 'AAAA', filename: 'a.pdf' } },
  ]
  const body = Buffer.from(
    JSON.stringify([
      { role: 'user', content: 'a' },
      { role: 'user', content },
    ]),
  )
  const { names } = readMessages(new JsonReader(body), new RequestProblem())
  expect(names).toEqual([{ kind: 'file', id: 'file-1', param: 'messages[1].content[1].file.file_id' }])
})
