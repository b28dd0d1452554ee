import { expect, test } from 'bun:test'
import { clip, unknownModel } from '../../../../src/pipeline/route/unknown-model.ts'
import { worldOf } from './route-kit.ts'
import { modelWith, routerWorld } from './router-kit.ts'

test('404 with near names', () => {
  const error = unknownModel(worldOf(), { model: 'acme/larg' })
  expect(error).toMatchObject({ code: 'model_not_found', status: 404, details: { param: 'model' } })
  expect(error.message).toContain("Did you mean 'acme/large'")
})

test('near names are those that the key may use', () => {
  const error = unknownModel(worldOf({ models: ['acme/small'] }), { model: 'acme/larg' })
  expect(error.message).not.toContain('acme/large')
})

test('three at most, of those that the key may use', () => {
  const makers = ['a', 'b', 'c', 'd', 'e'].map((maker) => modelWith(`${maker}/tiny`))
  const { world } = routerWorld(makers)
  const hinted = (models?: readonly string[]) =>
    unknownModel({ ...world, context: worldOf(models === undefined ? {} : { models }).context }, { model: 'tiny' })
      .message
  expect(hinted()).toEndWith(" Did you mean 'a/tiny' or 'b/tiny' or 'c/tiny'?")
  expect(hinted(['c/tiny', 'e/tiny'])).toEndWith(" Did you mean 'c/tiny' or 'e/tiny'?")
})

test('none near, none named', () => {
  expect(unknownModel(worldOf(), { model: 'elsewhere' }).message).toBe(
    "The model 'elsewhere' does not exist or you do not have access to it.",
  )
})

test('of a very long name only the beginning is repeated', () => {
  expect(unknownModel(worldOf(), { model: 'x'.repeat(10_000) }).message).toContain(`'${'x'.repeat(200)}…'`)
  expect([clip('x'.repeat(200)), clip('x'.repeat(201))]).toEqual(['x'.repeat(200), `${'x'.repeat(200)}…`])
})
