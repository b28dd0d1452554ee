import { expect, test } from 'bun:test'
import { readResponseObject } from '../../../../src/dialects/openai/read-response-object.ts'
import { JsonReader } from '../../../../src/lib/index.ts'

const read = (value: object) => readResponseObject(new JsonReader(Buffer.from(JSON.stringify(value))))

test('what is there is found, whatever else is', () => {
  const found = read({
    x: [{ id: 'no' }],
    id: 'resp_1',
    status: 'incomplete',
    incomplete_details: { reason: 'content_filter' },
    store: true,
    completed_at: null,
    output: [{ id: 'a', type: 'message', content: [{ text: 'Hé' }] }, 7, { type: 'no id', arguments: '{}' }],
    usage: { input_tokens: 1, output_tokens: 2 },
  })
  expect(found).toMatchObject({
    id: 'resp_1',
    status: 'incomplete',
    reason: 'content_filter',
    isStored: true,
    items: ['a'],
    textBytes: 5,
    usage: { input: 1, output: 2 },
    model: null,
    error: null,
  })
  expect([found.seen.has('completed_at'), found.seen.has('tools')]).toEqual([true, false])
})

test('values of other kinds are as if absent', () => {
  const found = read({
    id: 7,
    status: null,
    output: {},
    usage: null,
    error: null,
    incomplete_details: 'x',
    store: false,
  })
  expect(found).toMatchObject({
    id: null,
    status: null,
    hasOutput: false,
    usageSpan: null,
    error: null,
    isStored: false,
  })
})

test('of an output that is given twice the last counts', () => {
  const read = (text: string) => readResponseObject(new JsonReader(Buffer.from(text))).hasOutput
  expect(read('{"output":[],"output":null}')).toBe(false)
  expect(read('{"output":null,"output":[]}')).toBe(true)
})
