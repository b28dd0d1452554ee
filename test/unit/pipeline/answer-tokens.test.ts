import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../../src/domain/index.ts'
import { answerTokens } from '../../../src/pipeline/answer-tokens.ts'

const house = { bytesPerToken: { of: () => 4, learn: () => {} } }

test('as the provider reports them, thoughts among them; else by the text', () => {
  const usage = { ...NO_USAGE, input: 900, output: 30, reasoning: 12 }
  expect(answerTokens(house, 'north/m', { usage, textBytes: 4000 })).toBe(42)
  expect(answerTokens(house, 'north/m', { usage: null, textBytes: 4001 })).toBe(1001)
})
