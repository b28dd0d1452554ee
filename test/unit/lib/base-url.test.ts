import { expect, test } from 'bun:test'
import { basePath, checkBaseUrl } from '../../../src/lib/base-url.ts'

test('slashes at the end, default ports and capitals of the host are dropped; the path stays', () => {
  expect(checkBaseUrl('https://API.acme.example:443/openai/v1//')).toEqual({
    kind: 'url',
    baseUrl: 'https://api.acme.example/openai/v1',
  })
  expect(checkBaseUrl('http://127.0.0.1:11434')).toEqual({ kind: 'url', baseUrl: 'http://127.0.0.1:11434' })
  expect(checkBaseUrl('http://[::1]:80/v1')).toEqual({ kind: 'url', baseUrl: 'http://[::1]/v1' })
})

test('what would be dialled otherwise than it is written is no URL', () => {
  for (const text of ['http://h/v1\r\nX: y', 'http://h/a b', 'http://h/v1\t', ' http://h/v1', 'http://h:0/v1'])
    expect(checkBaseUrl(text)).toMatchObject({ kind: 'problem', reason: 'is not a URL' })
})

test('the suggestion is what was meant, where that is clear', () => {
  expect(checkBaseUrl('api.acme.example/v1')).toMatchObject({ suggestion: 'Write it as https://api.acme.example/v1' })
  expect(checkBaseUrl('https://h/v1/chat/completions')).toMatchObject({ suggestion: 'Write it as https://h/v1' })
  expect(checkBaseUrl('user:secret@h/v1')).toMatchObject({ suggestion: 'Write it as https://api.example.com/v1' })
})

test.each([
  ['https://h/openai/v1', '/openai/v1'],
  ['http://[::1]:80/v1', '/v1'],
  ['https://h', ''],
])('the path of %s', (baseUrl, path) => {
  expect(basePath(baseUrl)).toBe(path)
})
