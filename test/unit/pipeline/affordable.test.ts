import { expect, test } from 'bun:test'
import { money, type Price } from '../../../src/domain/index.ts'
import { affordable } from '../../../src/pipeline/affordable.ts'
import { createHouseDouble, MODEL } from '../../support/house.ts'
import { preparedOf } from './support.ts'

/** A dollar, and a tenth of a cent, for an answer of 1,000 tokens. */
const DEAR: Price = { input: 0, output: 1_000_000_000_000 }
const CHEAP: Price = { input: 0, output: 1_000_000_000 }

test('who needs more than there is is passed over, with what is needed; nothing is held', async () => {
  await using world = createHouseDouble({ backends: { dear: { price: DEAR }, cheap: { price: CHEAP } } })
  const plan = { model: MODEL, candidates: world.offers().map((offer) => ({ offer })), skips: [] }
  const { facts } = preparedOf({ max_tokens: 1000 })
  const walk = (available: number | null) =>
    affordable(world.house, world.house.settings(), plan, facts, {
      available: available === null ? null : money(available),
      budget: null,
    })
  const some = walk(500_000_000)
  expect(some.candidates.map(({ offer }) => offer.backend.id)).toEqual(['cheap'])
  expect(some).toMatchObject({
    amount: 1_000_000,
    cheapestNeeded: 1_000_000_000,
    skips: [{ backend: 'dear', rule: 'unaffordable', reason: 'needs $1.00, available $0.50' }],
  })
  expect(walk(null)).toMatchObject({ amount: 1_000_000_000, skips: [], cheapestNeeded: null })
  expect(walk(10)).toMatchObject({ candidates: [], amount: 0, cheapestNeeded: 1_000_000 })
})
