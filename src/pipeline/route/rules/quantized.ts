import type { Filter } from '../rule.ts'

/** Drops offers whose weights are not stored in one of the ways that the caller takes. */
export const quantized: Filter = {
  kind: 'filter',
  name: 'quantizations',
  wish: 'quantization',
  applies: ({ request }) => request?.preferences?.quantizations != null,
  skip({ offer }, _, { request }) {
    const { quantization = 'unknown' } = offer
    if (request?.preferences?.quantizations?.includes(quantization) !== false) return null
    return { reason: `the quantization is ${quantization}` }
  },
}
