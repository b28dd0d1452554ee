import { expect, test } from 'bun:test'
import { byPrice } from '../../../../../src/pipeline/route/rules/by-price.ts'
import { worldOf } from '../route-kit.ts'
import { offerAt, PLAIN, rankedBy, wishing } from '../wish-kit.ts'

const all = [
  offerAt({ id: 'prompts' }, { price: { input: 9_000_000, output: 1_000_000 } }),
  offerAt({ id: 'unpriced' }, { price: null, cost: null }),
  offerAt({ id: 'answers' }, { price: { input: 1_000_000, output: 9_000_000 } }),
  offerAt({ id: 'costs' }, { price: null, cost: { input: 1, output: 1 } }),
]
const sort = { by: 'price', acrossModels: false } as const

test('the cheapest for this request: its prompt and its answer count as they are', () => {
  const longAnswer = wishing({ sort }, { promptTextBytes: 400, outputLimit: 4000 })
  expect(rankedBy(byPrice, all, longAnswer)).toEqual(['costs', 'prompts', 'answers', 'unpriced'])
  const longPrompt = wishing({ sort }, { promptTextBytes: 40_000, outputLimit: 10 })
  expect(rankedBy(byPrice, all, longPrompt)).toEqual(['costs', 'answers', 'prompts', 'unpriced'])
})

test('applies to `sort: price`, to `:floor`, and where the operator sorts so', () => {
  expect(rankedBy(byPrice, all, { ...PLAIN, variant: 'floor' })).not.toBeNull()
  expect(rankedBy(byPrice, all, PLAIN, { ...worldOf(), sort: 'price' })).not.toBeNull()
  expect(rankedBy(byPrice, all, PLAIN)).toBeNull()
  const latency = wishing({ sort: { by: 'latency', acrossModels: false } })
  expect(rankedBy(byPrice, all, latency, { ...worldOf(), sort: 'price' })).toBeNull()
})

test('the dearer one is cheaper where it keeps the prompt of the session', () => {
  const both = [
    offerAt({ id: 'keeps' }, { price: { input: 3_000_000, cachedInput: 300_000, output: 1 } }),
    offerAt({ id: 'cheap' }, { price: { input: 2_000_000, cachedInput: 100_000, output: 1 } }),
  ]
  const wish = wishing({ sort }, { promptTextBytes: 40_000 })
  const keeping = (cachedTokens: number) => ({
    ...worldOf(),
    sticky: new Map([['acme/m', { backend: 'keeps', cachedTokens }]]),
  })
  expect(rankedBy(byPrice, both, wish, keeping(9000))).toEqual(['keeps', 'cheap'])
  expect(rankedBy(byPrice, both, wish, keeping(1000))).toEqual(['cheap', 'keeps'])
})
