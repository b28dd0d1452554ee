import { describe, expect, test } from 'bun:test'
import type { RoutePlan } from '../../../../src/domain/index.ts'
import { route } from '../../../../src/pipeline/route/route.ts'
import { worldOf } from './route-kit.ts'

const offersOf = ({ candidates }: RoutePlan): string[] => candidates.map(({ offer }) => offer.id)

describe('route', () => {
  test('the offers of a model in the operator’s order', () => {
    const plan = route(worldOf(), { model: 'acme/large' })
    expect(plan).toMatchObject({ model: 'acme/large', skips: [] })
    expect(offersOf(plan)).toEqual(['north/acme/large', 'south/acme/large'])
  })

  test('an alias is the model it names', () => {
    expect(route(worldOf(), { model: 'small' }).model).toBe('acme/small')
  })

  test('each offer that is passed over is told, by the first rule that does so', () => {
    const plan = route(worldOf(), { model: 'acme/small' })
    expect(offersOf(plan)).toEqual(['south/acme/small'])
    expect(plan.skips).toEqual([
      { offer: 'off/acme/small', backend: 'off', rule: 'enabled', reason: 'the backend is disabled' },
      { offer: 'north/acme/small', backend: 'north', rule: 'enabled', reason: 'the offer is disabled' },
    ])
  })

  test('is a pure function: the same world gives the same plan', () => {
    const world = worldOf()
    expect(route(world, { model: 'acme/small' })).toEqual(route(world, { model: 'acme/small' }))
  })

  test('an unknown model: 404 with near names', () => {
    expect(() => route(worldOf(), { model: 'acme/larg' })).toThrow(
      expect.objectContaining({
        code: 'model_not_found',
        status: 404,
        message: expect.stringContaining("Did you mean 'acme/large'"),
      }),
    )
  })

  test('near names are those that the key may use', () => {
    const world = worldOf({ models: ['acme/small'] })
    expect(() => route(world, { model: 'acme/larg' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('acme/large') }),
    )
  })

  test('of a very long name only the beginning is repeated', () => {
    try {
      route(worldOf(), { model: 'x'.repeat(10_000) })
    } catch (error) {
      expect(String(error).length).toBeLessThan(400)
      return
    }
    throw new Error('it was routed')
  })
})
