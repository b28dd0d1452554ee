import { expect, test } from 'bun:test'
import type { Skip } from '../../../../src/domain/index.ts'
import { candidatesOf, firstIfAlone, passed } from '../../../../src/pipeline/route/passed.ts'
import { worldOf } from './route-kit.ts'
import { PLAIN, wishing } from './wish-kit.ts'

const names = (list: readonly { readonly offer: { readonly id: string } }[]) => list.map(({ offer }) => offer.id)
const modelOf = (world: ReturnType<typeof worldOf>, id: string) => {
  const model = world.catalogue.models.get(id)
  if (model === undefined) throw new Error(`no ${id}`)
  return model
}

test('who passes every filter, as the offers stand, and a skip for each that does not', () => {
  const world = worldOf()
  const skips: Skip[] = []
  expect(names(passed(world, PLAIN, modelOf(world, 'acme/small'), skips))).toEqual(['south/acme/small'])
  expect(skips).toMatchObject([
    { backend: 'off', rule: 'enabled' },
    { backend: 'north', rule: 'enabled' },
  ])
  expect(names(candidatesOf(modelOf(world, 'acme/large')))).toEqual(['north/acme/large', 'south/acme/large'])
})

test('what is kept with the catalogue goes by offer and operation alone: whoever asks gets what a new catalogue would give', () => {
  const { catalogue } = worldOf()
  const ids = ['acme/small', 'acme/large', 'acme/unpriced']
  const specs = [{}, { out: { south: null } }, { kind: 'unmetered' }, { models: ['acme/small'] }, {}] as const
  const wishes = [PLAIN, { ...PLAIN, operation: 'chat.completions' }, { ...PLAIN, operation: 'messages' }] as const
  for (const spec of specs)
    for (const wish of wishes)
      for (const id of ids) {
        const outcomeIn = (world: ReturnType<typeof worldOf>) => {
          const skips: Skip[] = []
          return [names(passed(world, wish, modelOf(world, id), skips)), skips]
        }
        expect(outcomeIn({ ...worldOf(spec), catalogue })).toEqual(outcomeIn(worldOf(spec)))
      }
})

test('where no filter drops anything more, the list is the kept one', () => {
  const world = worldOf()
  const model = modelOf(world, 'acme/large')
  expect(passed(world, PLAIN, model, [])).toBe(passed(world, PLAIN, model, []))
})

test('without fallbacks the first offer alone, unless an order says otherwise', () => {
  const world = worldOf()
  const all = candidatesOf(modelOf(world, 'acme/large'))
  const skips: Skip[] = []
  expect(firstIfAlone(all, PLAIN, skips)).toBe(all)
  expect(names(firstIfAlone(all, wishing({ allowFallbacks: false }), skips))).toEqual(['north/acme/large'])
  expect(skips).toMatchObject([{ backend: 'south', rule: 'fallbacks' }])
  expect(firstIfAlone(all, wishing({ allowFallbacks: false, order: ['acme'] }), [])).toBe(all)
  expect(names(firstIfAlone(all, { ...PLAIN, pin: 'acme' }, []))).toEqual(['north/acme/large'])
})
