import { expect, test } from 'bun:test'
import { unknownModel } from '../../../../src/pipeline/route/unknown-model.ts'
import { worldOf } from './route-kit.ts'

test('404 with near names', () => {
  const error = unknownModel(worldOf(), { model: 'acme/larg' })
  expect(error).toMatchObject({ code: 'model_not_found', status: 404, details: { param: 'model' } })
  expect(error.message).toContain("Did you mean 'acme/large'")
})

test('near names are those that the key may use', () => {
  const error = unknownModel(worldOf({ models: ['acme/small'] }), { model: 'acme/larg' })
  expect(error.message).not.toContain('acme/large')
})

test('of a very long name only the beginning is repeated', () => {
  expect(unknownModel(worldOf(), { model: 'x'.repeat(10_000) }).message.length).toBeLessThan(400)
})
