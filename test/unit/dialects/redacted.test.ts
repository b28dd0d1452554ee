import { expect, test } from 'bun:test'
import { redacted } from '../../../src/dialects/redacted.ts'

test('what looks like a key is struck out', () => {
  const keys = [
    'sk-abcdef123456',
    'sk-proj-abc***************xyz',
    'sk-ant-api03-AAAA_bbbb-cccc',
    'sk-ar-v1-0123456789abcdefghij',
    'gsk_abcdefghijkl',
    'xai-abcdefghijkl',
    'AIzaSyA-1234567890abc',
    'hf_abcdefghijkl',
    '0123456789abcdef0123456789abcdef',
  ]
  for (const key of keys)
    expect(redacted(`Bad key ${key}, sorry: "${key}"`)).toBe('Bad key [redacted], sorry: "[redacted]"')
  expect(redacted('Authorization: Bearer abc.def.ghi')).toBe('Authorization: Bearer [redacted]')
  expect(redacted('authorization: bearer   x1y2z3!')).toBe('authorization: bearer [redacted]')
})

test('what is no key stays', () => {
  const plain =
    'The model `accounts/fireworks/models/llama-v3p1-405b-instruct` or meta-llama-3-1-405b-instruct-turbo-fp8 needs max_completion_tokens <= 4096; risk-averse, task-oriented'
  expect(redacted(plain)).toBe(plain)
})
