import { expect, test } from 'bun:test'
import { credentialHeaders, ownCallHeaders } from '../../../src/dialects/index.ts'

const KEY = ['x-api-key', 'sekret'] as const
const BEARER = ['authorization', 'Bearer sekret'] as const
const VERSION = ['anthropic-version', '2023-06-01'] as const

test('a backend is shown our credential in the way of every dialect it speaks', () => {
  expect(credentialHeaders(['openai'], 'sekret')).toEqual([BEARER])
  expect(credentialHeaders(['anthropic'], 'sekret')).toEqual([KEY])
  expect(credentialHeaders(['openai', 'anthropic'], 'sekret')).toEqual([BEARER, KEY])
  expect(credentialHeaders(['openai', 'anthropic'], null)).toEqual([])
})

test('a call of our own bears what every request of a dialect does', () => {
  expect(ownCallHeaders(['anthropic'], 'sekret')).toEqual([VERSION, KEY])
  expect(ownCallHeaders(['openai', 'anthropic'], null)).toEqual([VERSION])
})
