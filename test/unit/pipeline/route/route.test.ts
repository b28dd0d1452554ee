import { describe, expect, test } from 'bun:test'
import type { RoutePlan } from '../../../../src/domain/index.ts'
import { refuseEmptyPlan, route } from '../../../../src/pipeline/route/route.ts'
import { NOW_MS, worldOf } from './route-kit.ts'

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

describe('refuseEmptyPlan', () => {
  const refused = (model: string, spec?: Parameters<typeof worldOf>[0]) => () =>
    refuseEmptyPlan(route(worldOf(spec), { model }), NOW_MS)

  test('lets pass what has a candidate', () => {
    expect(refused('acme/small')).not.toThrow()
  })

  test('403 when the key is the reason', () => {
    expect(refused('acme/large', { models: ['acme/small'] })).toThrow(
      expect.objectContaining({ code: 'model_not_permitted', status: 403, details: { param: 'model' } }),
    )
  })

  test('503 else, with the reasons', () => {
    expect(refused('acme/off')).toThrow(
      expect.objectContaining({
        code: 'no_backend',
        status: 503,
        message: expect.stringContaining('the backend is disabled'),
        details: { retryAfterMs: 30_000, extra: { skips: [{ rule: 'enabled', reason: 'the backend is disabled' }] } },
      }),
    )
  })

  test.each([
    ['the first end of all', { north: NOW_MS + 90_000, south: NOW_MS + 20_000 }, 20_000],
    ['the only end, beside one that must be cleared', { north: null, south: NOW_MS + 600_000 }, 600_000],
    ['a guess, where all must be cleared', { north: null, south: null }, 30_000],
  ])('503 when all are quarantined: wait for %s', (_what, out, retryAfterMs) => {
    const skip = { rule: 'quarantined', reason: 'the backend is quarantined' }
    expect(refused('acme/large', { out })).toThrow(
      expect.objectContaining({
        code: 'no_backend',
        status: 503,
        message: "No backend can serve the model 'acme/large' now: the backend is quarantined.",
        details: { retryAfterMs, extra: { skips: [skip, skip] } },
      }),
    )
  })

  test('503 that asks for no repeat where waiting cannot help', () => {
    expect(refused('acme/none')).toThrow(
      expect.objectContaining({
        code: 'no_backend',
        message: expect.stringContaining('it has no offer'),
        retryable: false,
        details: { retryable: false, extra: { skips: [] } },
      }),
    )
    expect(refused('acme/unsold')).toThrow(
      expect.objectContaining({ code: 'no_backend', message: expect.stringContaining('no price'), retryable: false }),
    )
    expect(refused('acme/unsold', { kind: 'unmetered' })).not.toThrow()
  })
})
