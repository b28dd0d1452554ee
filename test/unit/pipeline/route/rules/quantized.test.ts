import { expect, test } from 'bun:test'
import { quantized } from '../../../../../src/pipeline/route/rules/quantized.ts'
import { offerAt, PLAIN, reasonOf, wishing } from '../wish-kit.ts'

test('keeps what is stored as one of those', () => {
  const offer = offerAt({}, { quantization: 'fp8' })
  expect(reasonOf(quantized, offer, wishing({ quantizations: ['bf16', 'fp8'] }))).toBeNull()
  expect(reasonOf(quantized, offer, wishing({ quantizations: ['bf16'] }))).toBe('the quantization is fp8')
  expect(reasonOf(quantized, offer, PLAIN)).toBeNull()
})

test('who does not say is `unknown`', () => {
  expect(reasonOf(quantized, offerAt({}), wishing({ quantizations: ['fp8', 'unknown'] }))).toBeNull()
  expect(reasonOf(quantized, offerAt({}), wishing({ quantizations: ['fp8'] }))).toBe('the quantization is unknown')
})
