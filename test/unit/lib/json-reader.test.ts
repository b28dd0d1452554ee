import { describe, expect, test } from 'bun:test'
import { JsonError, JsonKeys, JsonReader } from '../../../src/lib/index.ts'

const read = (json: string | Uint8Array): void => {
  const reader = new JsonReader(Buffer.from(json))
  reader.skip()
  reader.finish()
}

describe('the grammar is RFC 8259, no more and no less', () => {
  const valid = [
    '0',
    '-0',
    '1.5e+9',
    '1E-2',
    '""',
    '"\\u00e9\\n\\/"',
    ' [ ] ',
    '{}',
    '\t{"a":[{"b":null}],"a":true}\r\n',
    '"\x7f"',
  ]
  const invalid = [
    ...['', ' ', '01', '-', '+1', '1.', '.5', '1e', '1e+', '0x1', 'NaN', 'Infinity', '--1', '1.2.3', '1 2'],
    ...[
      'tru',
      'truex',
      'True',
      'nul',
      'undefined',
      "'a'",
      '"',
      '"a',
      '"\\',
      '"\\x41"',
      '"\\u12"',
      '"\\u12g4"',
      '"\n"',
      '"\t"',
      '"\0"',
    ],
    ...[
      '[',
      '[1',
      '[1,',
      '[1,]',
      '[,1]',
      '[1 2]',
      ']',
      '{',
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a":1,',
      '{"a":1,}',
      '{,}',
      '{a:1}',
      '{"a" 1}',
      '{"a":1 "b":2}',
      '[}',
      '{]',
    ],
    ...['\u00a01', '\ufeff1', '/**/1', '1//', '\v1', '\f1'],
  ]
  for (const json of valid) test(`valid: ${JSON.stringify(json)}`, () => expect(() => read(json)).not.toThrow())
  for (const json of invalid)
    test(`invalid: ${JSON.stringify(json)}`, () => expect(() => read(json)).toThrow(JsonError))
})

test('a fault deep in a long string is found where it is', () => {
  for (const size of [10, 95, 96, 97, 300, 352, 353, 1000, 70_001]) {
    for (const fault of ['\n', '\\x', '\u0001']) {
      for (const shift of [0, 1, 2, 3]) {
        const before = 'é'.repeat(3) + 'a'.repeat(size + shift)
        const json = `["${before}${fault}${'b'.repeat(500)}"]`
        expect(faultOf(json).offset).toBe(Buffer.byteLength(`["${before}`))
      }
    }
  }
})

test('a string without an end is told at its end', () => {
  expect(faultOf(`"${'a'.repeat(5000)}`).offset).toBe(5001)
})

test('512 levels are read, 513 are refused', () => {
  expect(() => read('['.repeat(512) + ']'.repeat(512))).not.toThrow()
  expect(faultOf('['.repeat(513) + ']'.repeat(513))).toMatchObject({
    offset: 512,
    problem: 'nested deeper than 512 levels',
  })
})

test('spans, kinds and sizes of what is read', () => {
  const bytes = Buffer.from('{ "a" : [1, {"x":2}] ,"é\\n":"ü\\u00fc\\ud83d\\ude00","n":-1.50e1 }')
  const reader = new JsonReader(bytes)
  const seen: unknown[] = []
  expect(reader.peek()).toBe('object')
  reader.enter()
  expect(reader.position).toBe(1)
  while (reader.nextKey()) {
    const nameBytes = reader.stringBytes
    const kind = reader.peek()
    reader.skip()
    seen.push([nameBytes, kind, bytes.subarray(reader.valueStart, reader.valueEnd).toString(), reader.value()])
  }
  reader.finish()
  expect(reader.position).toBe(bytes.length)
  expect(seen).toEqual([
    [1, 'array', '[1, {"x":2}]', [1, { x: 2 }]],
    [3, 'string', '"ü\\u00fc\\ud83d\\ude00"', 'üü😀'],
    [1, 'number', '-1.50e1', -15],
  ])
})

test('names and strings are known by what they decode to', () => {
  const keys = new JsonKeys(['model', 'n'])
  const bytes = Buffer.from('{"\\u006dodel":"m\\u006fdel","Model":"model2","n":"m\\u00f6del"}')
  const reader = new JsonReader(bytes)
  const seen: unknown[] = []
  reader.enter()
  while (reader.nextKey()) {
    const key = reader.key(keys)
    const name = reader.keyText()
    reader.skip()
    seen.push([key, name, reader.stringIn(keys)])
  }
  expect(seen).toEqual([
    ['model', 'model', 'model'],
    [undefined, 'Model', undefined],
    ['n', 'n', undefined],
  ])
})

test('a document inside other bytes ends where it is said to', () => {
  const bytes = Buffer.from('xx{"a":12}34]')
  const reader = new JsonReader(bytes, 2, 10)
  reader.skip()
  reader.finish()
  for (const [start, end] of [
    [3, 5],
    [2, 7],
    [2, 9],
  ] as const) {
    expect(() => {
      reader.open(bytes, start, end)
      reader.skip()
      reader.finish()
    }).toThrow(JsonError)
  }
})

test('numbers, exact as JSON.parse reads them', () => {
  for (const json of [
    '0',
    '-0',
    '7',
    '-7',
    '123456789012345',
    '1234567890123456',
    '12345678901234567890',
    '1e2',
    '1.0',
    '1e400',
    '-1.5',
  ]) {
    const reader = new JsonReader(Buffer.from(json))
    reader.skip()
    expect(reader.number()).toBe(JSON.parse(json))
  }
})

function faultOf(json: string): JsonError {
  try {
    read(json)
  } catch (error) {
    if (error instanceof JsonError) return error
  }
  throw new Error('no fault was found')
}
