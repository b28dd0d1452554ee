import { describe, expect, test } from 'bun:test'
import { readDocumentFields } from '../../../../src/dialects/openai/read-document-fields.ts'

const VECTORS = { lists: ['data'], rows: 'vectors', isPromptOnly: true } as const
const RANKING = { lists: ['results', 'data'], isPromptOnly: true } as const
const read = (text: string, form: typeof VECTORS | typeof RANKING = VECTORS) => {
  const bytes = Buffer.from(text)
  const found = readDocumentFields(bytes, form)
  const at = ({ start, end }: { start: number; end: number }) => bytes.toString('utf8', start, end)
  return found && { ...found, fields: found.fields.map(({ name, whole, value }) => [name, at(whole), at(value)]) }
}

test('every field is found with its name, and each row with its vector', () => {
  const text = ' { "x" : 1.0 ,"model":"m" , "data" : [ { "embedding" : [1] , "index":3 },7 ,{"embedding":"AA"} ] }'
  const found = read(text)
  expect(found).toMatchObject({
    count: 3,
    hasError: false,
    usage: null,
    fields: [
      [undefined, '"x" : 1.0', '1.0'],
      ['model', '"model":"m"', '"m"'],
      ['data', text.slice(text.indexOf('"data"'), -2), text.slice(text.indexOf('[ {'), -2)],
    ],
  })
  const rows = found?.rows.map(({ start, end, index, vector }) => [
    text.slice(start, end),
    index,
    text.slice(vector?.start, vector?.end),
  ])
  expect(rows).toEqual([
    ['{ "embedding" : [1] , "index":3 }', 3, '[1]'],
    ['{"embedding":"AA"}', null, '"AA"'],
  ])
})

describe('what is an answer', () => {
  test.each([
    ['[]', null],
    ['{}', null],
    ['{"data":{}}', null],
    ['{"data":[]}', 0],
    ['{"results":[1]}', null],
  ])('%s', (text, count) => expect(read(text)?.count ?? null).toBe(count))
  expect(read('[]')).toBeNull()
  expect(read('{"error":null,"data":[]}')?.hasError).toBe(false)
  expect(read('{"error":"no"}')?.hasError).toBe(true)
})

describe('usage of a prompt alone', () => {
  test.each([
    ['{"usage":{"prompt_tokens":3}}', { input: 3, output: 0 }],
    ['{"usage":{"total_tokens":3}}', { input: 3 }],
    ['{"usage":{"total_tokens":3,"search_units":2}}', { input: 3, searches: 2 }],
    ['{"meta":{"billed_units":{"search_units":2}}}', { input: 0, searches: 2 }],
    ['{"usage":{"total_tokens":3},"meta":{"billed_units":{"search_units":2}}}', { input: 3, searches: 2 }],
    [
      '{"meta":{"billed_units":{"search_units":2}},"usage":{"total_tokens":3,"search_units":1}}',
      { input: 3, searches: 1 },
    ],
    ['{"meta":{"billed_units":{"input_tokens":4}}}', { input: 4 }],
  ])('%s', (text, usage) => expect(read(text, RANKING)?.usage).toMatchObject(usage))
  test('none that can be read', () => {
    for (const text of ['{"usage":null}', '{"usage":{}}', '{"meta":7}', '{"meta":{"billed_units":{}}}'])
      expect(read(text, RANKING)?.usage ?? null).toBeNull()
  })
})
