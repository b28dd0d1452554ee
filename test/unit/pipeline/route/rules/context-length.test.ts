import { expect, test } from 'bun:test'
import { contextLength } from '../../../../../src/pipeline/route/rules/context-length.ts'
import { worldOf } from '../route-kit.ts'
import { offerAt, reasonOf, wishing } from '../wish-kit.ts'

const prompt = (promptTextBytes: number) => wishing({}, { promptTextBytes })

test('drops what is too short by any measure, at six bytes a token', () => {
  const offer = offerAt({}, { contextTokensMax: 100 })
  expect(reasonOf(contextLength, offer, prompt(605))).toBeNull()
  expect(reasonOf(contextLength, offer, prompt(606))).toBe('the prompt has at least 101 tokens, the context 100')
})

test('keeps what has no known context, and judges no request that is not known', () => {
  expect(reasonOf(contextLength, offerAt({}, { contextTokensMax: null }), prompt(1e9))).toBeNull()
  expect(reasonOf(contextLength, offerAt({}, { contextTokensMax: 0 }), { model: 'acme/m' })).toBeNull()
})

test('of several texts that are read one by one the longest counts', () => {
  const offer = offerAt({}, { contextTokensMax: 100 })
  expect(reasonOf(contextLength, offer, wishing({}, { promptTextBytes: 1e9, longestTextBytes: 605 }))).toBeNull()
  expect(reasonOf(contextLength, offer, wishing({}, { promptTextBytes: 1e9, longestTextBytes: 606 }))).not.toBeNull()
})

test('does not apply where no request is known', () => {
  expect(contextLength.applies?.({ model: 'acme/m' }, worldOf())).toBe(false)
})
