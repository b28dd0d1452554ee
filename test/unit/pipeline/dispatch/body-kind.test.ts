import { expect, test } from 'bun:test'
import { bodyKind, isSuccess, mediaTypeOf, mediumKind } from '../../../../src/pipeline/dispatch/body-kind.ts'

test.each([
  ['{"choices":[]}', 'document'],
  [' \r\n\t{"id":1}', 'document'],
  ['[{"error":{}}]', 'document'],
  ['<html>', 'document'],
  ['\ufeff{"id":1}', 'document'],
  ['data: {}', 'events'],
  [': waiting\n\n', 'events'],
  ['\n\nevent: x', 'events'],
  ['\ufeffdata: {}', 'events'],
  ['upstream error', 'events'],
  ['', 'unknown'],
  ['  \n', 'unknown'],
] as const)('%j is %s', (text, kind) => {
  expect(bodyKind(Buffer.from(text))).toBe(kind)
})

test.each([
  ['audio/mpeg', 'medium'],
  ['application/octet-stream', 'medium'],
  [undefined, 'medium'],
  ['application/json', 'document'],
  ['application/problem+json; charset=utf-8', 'document'],
  ['Text/HTML', 'document'],
] as const)('of bytes that were asked for, %p says %s', (type, kind) => {
  const head = { status: 200, headers: type === undefined ? [] : ([['content-type', type]] as const) }
  expect(mediumKind(head)).toBe(kind)
  expect(mediaTypeOf(head)).toBe(type ?? 'application/octet-stream')
})

test('any 2xx serves, nothing else', () => {
  const serves = [199, 200, 201, 299, 300, 404].filter((status) => isSuccess({ status, headers: [] }))
  expect(serves).toEqual([200, 201, 299])
})
