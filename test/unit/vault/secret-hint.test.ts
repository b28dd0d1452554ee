import { expect, test } from 'bun:test'
import { secretHint } from '../../../src/vault/index.ts'

test('a hint is the end of the secret, and never more than a quarter of it', () => {
  expect(secretHint('sk-provider-0123456789-wxyz')).toBe('wxyz')
  expect(secretHint('12345678')).toBe('78')
  expect(secretHint('123')).toBe('')
  expect(secretHint('')).toBe('')
})
