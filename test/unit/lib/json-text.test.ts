import { expect, test } from 'bun:test'
import { JsonKeys, JsonReader, jsonText } from '../../../src/lib/index.ts'

const BASE64 = 'QUJD+/=='.repeat(20)
const without = new JsonKeys(['data', 'url'])
const textOf = (value: unknown, names = false): number =>
  jsonText(
    new JsonReader(Buffer.from(typeof value === 'string' && value.startsWith('{') ? value : JSON.stringify(value))),
    {
      without,
      names,
    },
  )

test('all strings count, but those under the named fields', () => {
  expect(textOf({ a: 'é', b: ['bc', 1, null, true, { c: 'd' }], data: 'no', url: { deep: ['no'] } })).toBe(2 + 2 + 1)
  expect(textOf('abc')).toBe(3)
  expect(textOf(12)).toBe(0)
})

test('names count where they are text', () => {
  expect(textOf({ name: 'a', data: 'no' }, true)).toBe(4 + 1 + 4)
})

test('base64 in a data URL does not count, text that looks like one does', () => {
  for (const head of [
    'data:image/png;base64,',
    'DATA:;base64,',
    'data:text/plain;charset=utf-8;base64,',
    'data:application/vnd.a+b;base64,',
  ])
    expect(textOf(head + BASE64)).toBe(0)
  expect(textOf(`{"a":"data:image\\/png;base64,${BASE64.replaceAll('/', '\\/')}"}`)).toBe(0)
  for (const text of [
    `data:image/png;base64,${BASE64} and more`,
    `data: ${BASE64}`,
    `data:text/plain,${BASE64}`,
    `see data:a/b;base64,${BASE64}`,
  ])
    expect(textOf(text)).toBe(text.length)
})
