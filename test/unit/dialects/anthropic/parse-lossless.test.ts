import { expect, test } from 'bun:test'
import { parseLossless } from '../../../../src/dialects/anthropic/parse-lossless.ts'

test('numbers come out as they went in, wherever they stand', () => {
  const text = '{"a":12345678901234567890,"b":[1.0,1e2,-0.0,{"c":0.1}],"d":"1.0","e":null,"f":true}'
  expect(JSON.stringify(parseLossless(text))).toBe(text)
  expect(JSON.stringify(parseLossless('1.50'))).toBe('1.50')
})

test('what is no JSON throws', () => {
  expect(() => parseLossless('{"a"')).toThrow(SyntaxError)
})
