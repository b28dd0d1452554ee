import { expect, test } from 'bun:test'
import { backendOfOffer, isSpokenTo, modelOfOffer, offerId } from '../../../src/domain/index.ts'
import { backendOf, modelOf } from '../catalogue/support.ts'

test('a model is asked in the dialects of the backends that serve it now', () => {
  const messages = { ...backendOf('messages'), dialects: ['anthropic'] as const }
  const model = modelOf('m', [[messages, { price: { input: 1, output: 1 } }]])
  expect([isSpokenTo(model, 'anthropic'), isSpokenTo(model, 'openai')]).toEqual([true, false])
  expect(isSpokenTo(modelOf('m', [[{ ...messages, enabled: false }]]), 'anthropic')).toBe(false)
  expect(isSpokenTo(modelOf('m', [[messages, { enabled: false }], [backendOf('chats')]]), 'anthropic')).toBe(false)
})

test('the id of an offer tells its backend and its model, whose id may have a slash', () => {
  const id = offerId('north', 'acme/m')
  expect([id, backendOfOffer(id), modelOfOffer(id)]).toEqual(['north/acme/m', 'north', 'acme/m'])
})
