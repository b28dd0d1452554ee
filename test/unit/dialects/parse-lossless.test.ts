import { expect, test } from 'bun:test'
import { isFields, parseLossless } from '../../../src/dialects/parse-lossless.ts'

test('numbers come out as they went in, wherever they stand', () => {
  const text = '{"a":12345678901234567890,"b":[1.0,1e2,-0.0,{"c":0.1}],"d":"1.0","e":null,"f":true}'
  expect(JSON.stringify(parseLossless(text))).toBe(text)
  expect(JSON.stringify(parseLossless('1.50'))).toBe('1.50')
})

test('a number that JavaScript writes as it came is one; another can be told from an object', () => {
  expect(parseLossless('[0,-1.5,1e+21]')).toEqual([0, -1.5, 1e21])
  const [large, fields] = parseLossless('[12345678901234567890,{"rawJSON":"1"}]') as unknown[]
  expect([isFields(large), isFields(fields), isFields(1)]).toEqual([false, true, false])
})

test('what is no JSON throws', () => {
  expect(() => parseLossless('{"a"')).toThrow(SyntaxError)
})
