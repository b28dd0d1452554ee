import { describe, expect, test } from 'bun:test'
import type { RoutePlan } from '../../../../src/domain/index.ts'
import { RankBook } from '../../../../src/pipeline/rank-book.ts'
import { route } from '../../../../src/pipeline/route/route.ts'
import { ownSecret, worldOf } from './route-kit.ts'
import { modelWith, routerWorld } from './router-kit.ts'
import { wishing } from './wish-kit.ts'

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
})

describe('several models', () => {
  const asking = (models: string[], more: Parameters<typeof wishing>[0] = {}, model = 'acme/large') => ({
    ...wishing({ models, ...more }),
    model,
  })

  test('come one after the other, each once, in the order in which they are asked for', () => {
    const plan = route(worldOf(), asking(['acme/small', 'acme/large:floor', 'small'], {}))
    expect(plan.model).toBe('acme/large')
    expect(offersOf(plan)).toEqual(['north/acme/large', 'south/acme/large', 'south/acme/small'])
    expect(plan.skips.map(({ rule }) => rule)).toEqual(['enabled', 'enabled'])
  })

  test('a book tells which name each stands for, where there are several', () => {
    const book = new RankBook()
    const [, , last] = route(worldOf(), asking(['acme/small']), book).candidates
    expect(last === undefined ? [] : book.of(last)).toEqual([
      { rule: 'models', key: 1 },
      { rule: 'catalogue-order', key: 0 },
    ])
    const other = new RankBook()
    const [first] = route(worldOf(), { model: 'acme/large' }, other).candidates
    expect(first === undefined ? [] : other.of(first)).toEqual([{ rule: 'catalogue-order', key: 0 }])
  })

  test('a router whose models are all named before adds nothing; one that has none says so', () => {
    const models = [modelWith('m0'), modelWith('m1')]
    const { world } = routerWorld(models, { candidates: ['m0'], by: 'order' })
    const plan = route(world, asking(['r', 'm1'], {}, 'm0'))
    expect(offersOf(plan)).toEqual(['north/m0', 'north/m1'])
    expect(plan.skips).toEqual([])
    const { world: empty } = routerWorld(models, { freeOnly: true })
    expect(route(empty, asking(['r'], {}, 'm0')).skips).toMatchObject([{ offer: 'r', rule: 'free' }])
  })

  test('one that is not known is passed over; when none is, the first is named', () => {
    const plan = route(worldOf(), asking(['acme/large'], {}, 'acme/gone'))
    expect(plan.model).toBe('acme/large')
    expect(plan.skips).toContainEqual({
      offer: 'acme/gone',
      backend: '',
      rule: 'known-model',
      reason: 'the model is not known',
    })
    expect(() => route(worldOf(), asking(['acme/lost'], {}, 'acme/gone'))).toThrow("'acme/gone'")
  })

  test('may be one list', () => {
    const sort = (acrossModels: boolean) => ({ sort: { by: 'latency' as const, acrossModels } })
    const observed = { version: 1, of: (id: string) => (id === 'south/acme/small' ? SEEN : null) }
    const world = { ...worldOf(), observed }
    const plan = route(world, asking(['acme/small'], sort(true)))
    expect(offersOf(plan)).toEqual(['south/acme/small', 'north/acme/large', 'south/acme/large'])
    expect(plan.model).toBe('acme/large') // the first that was asked for
    expect(offersOf(route(world, asking(['acme/small'], sort(false)))).at(-1)).toBe('south/acme/small')
  })

  test('may be one list with the models of a router', () => {
    const at = (input: number) => ({ price: { input, output: input } })
    const models = [modelWith('m0', at(5)), modelWith('m1', at(9)), modelWith('m2', at(1))]
    const { world } = routerWorld(models, { candidates: ['m1', 'm2'], by: 'order' })
    const plan = route(world, asking(['r'], { sort: { by: 'price', acrossModels: true } }, 'm0'))
    expect(offersOf(plan)).toEqual(['north/m2', 'north/m0', 'north/m1'])
  })

  test('without fallbacks each model has its first offer', () => {
    const plan = route(worldOf(), asking(['acme/small'], { allowFallbacks: false }))
    expect(offersOf(plan)).toEqual(['north/acme/large', 'south/acme/small'])
    expect(plan.skips).toContainEqual({
      offer: 'south/acme/large',
      backend: 'south',
      rule: 'fallbacks',
      reason: 'the request allows no fallbacks',
    })
  })
})

test('a pinned request has one offer, but with each credential of it', () => {
  const own = ownSecret('cred_1')
  const plan = route(worldOf({ own: [own] }), { model: 'acme/large', pin: 'acme' })
  expect(plan.candidates.map((candidate) => [candidate.offer.id, candidate.own?.id])).toEqual([
    ['north/acme/large', 'cred_1'],
    ['north/acme/large', undefined],
  ])
})

test('a variant is wished of its own model alone', () => {
  const wish = { ...wishing({ models: ['acme/small'] }), model: 'acme/large:free' }
  const plan = route(worldOf(), wish)
  expect(offersOf(plan)).toEqual(['south/acme/small'])
  expect(plan.skips.filter(({ rule }) => rule === 'free')).toHaveLength(2)
})

const SEEN = {
  firstContentP50Ms: 5,
  firstContentP95Ms: 9,
  tokensPerSecond: null,
  successRate: null,
  samples: 1,
  firstContentMs: null,
  throughput: null,
  uptime: { last5m: null, last30m: null, last1d: null },
}
