import { expect, test } from 'bun:test'
import { bodyKind } from '../../../../src/pipeline/dispatch/body-kind.ts'

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
