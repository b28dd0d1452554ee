import { expect, test } from 'bun:test'
import { type CallSeen, readCalls } from '../../../../src/dialects/openai/read-calls.ts'
import { JsonReader } from '../../../../src/lib/index.ts'

const BARE = {
  choice: 0,
  index: null,
  hasId: false,
  hasType: false,
  hasName: false,
  hasLooseArguments: false,
  hasNull: false,
}

test('each call is found with what it says of itself; names and arguments are its text', () => {
  const text =
    '[ {"id":"t1","index":2,"type":"function","function":{"name":"f","arguments":"{}"}} ,{"id":"","type":null,"index":null,"function":{"name":"","arguments":"é"}}, {"function":{"arguments":{"a":1}}}, "odd" ]'
  const seen: CallSeen[] = []
  const reader = new JsonReader(Buffer.from(text))
  expect(readCalls(reader, seen)).toBe(1 + 2 + 2 + 7 + 3)
  reader.finish()
  const bytes = Buffer.from(text)
  expect(seen.map(({ start, end, ...call }) => [bytes.toString('utf8', start, end).slice(0, 8), call])).toEqual([
    ['{"id":"t', { ...BARE, index: 2, hasId: true, hasType: true, hasName: true }],
    ['{"id":""', { ...BARE, hasNull: true }],
    ['{"functi', { ...BARE, hasLooseArguments: true }],
  ])
})
