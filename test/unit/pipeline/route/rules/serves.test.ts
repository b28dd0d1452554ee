import { expect, test } from 'bun:test'
import type { DialectName, OperationName } from '../../../../../src/domain/index.ts'
import { serves } from '../../../../../src/pipeline/route/rules/serves.ts'
import { candidateOf, worldOf } from '../route-kit.ts'

const world = worldOf()

function skipped(dialects: readonly DialectName[], operation?: OperationName) {
  const { offer } = candidateOf(world, 'acme/small', 'south')
  const candidate = { offer: { ...offer, backend: { ...offer.backend, dialects } } }
  return serves.skip(candidate, world, { model: 'acme/small', ...(operation === undefined ? {} : { operation }) })
}

test('keeps a backend one of whose dialects knows the operation', () => {
  expect(skipped(['openai'], 'chat.completions')).toBeNull()
  expect(skipped(['anthropic'], 'messages')).toBeNull()
  expect(skipped(['openai', 'anthropic'], 'messages.count_tokens')).toBeNull()
})

test('drops one that speaks other dialects, and says which', () => {
  expect(skipped(['openai'], 'messages')).toEqual({
    reason: 'a backend of the dialect openai does not know messages',
  })
  expect(skipped(['anthropic'], 'chat.completions')).toEqual({
    reason: 'a backend of the dialect anthropic does not know chat.completions',
  })
})

test('drops an offer that is for something else, and says for what', () => {
  const { offer } = candidateOf(world, 'acme/small', 'south')
  const skippedAs = (operation: OperationName) =>
    serves.skip({ offer: { ...offer, operations: ['embeddings', 'rerank'] } }, world, {
      model: 'acme/small',
      operation,
    })
  expect(skippedAs('embeddings')).toBeNull()
  expect(skippedAs('chat.completions')).toEqual({
    reason: 'it is asked for embeddings, rerank, not for chat.completions',
  })
})

test('has nothing to say of a plan that is for no operation', () => {
  expect(serves.applies?.({ model: 'acme/small' }, world)).toBe(false)
  expect(skipped(['openai'])).toBeNull()
})
