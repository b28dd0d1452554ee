import { describe, expect, test } from 'bun:test'
import { money } from '../../../src/domain/index.ts'
import { absorption, paysPrompt } from '../../../src/pipeline/absorption.ts'
import { createHouseDouble, type HouseSpec, PRICE } from '../../support/house.ts'
import { callAt, candidatesOf } from './support.ts'

const FACTS = { choices: 2, outputLimit: 100 }

function sent(cost: typeof PRICE | null = PRICE, spec: HouseSpec = {}) {
  const world = createHouseDouble(spec)
  const [candidate] = candidatesOf(world)
  if (candidate === undefined) throw new Error('no candidate')
  return { ...callAt(world), candidate: { ...candidate, covered: { ...candidate.covered, cost } } }
}

describe('what it may have cost', () => {
  test('the prompt, and the longest answer that was to be expected', () => {
    const { call, candidate } = sent()
    const costs = (facts: typeof FACTS | { choices: number; outputLimit: null }) =>
      absorption(call, { candidate, facts }, true).possibleCost
    expect(costs(FACTS)).toBe(money(10 * 1000 + 200 * 4000))
    expect(costs({ choices: 1, outputLimit: null })).toBe(money(10 * 1000 + 1000 * 4000)) // the offer's maximum
  })

  test('nobody knows, where nobody knows what the provider bills', () => {
    const { call, candidate } = sent(null)
    expect(absorption(call, { candidate, facts: FACTS }, true)).toEqual({ absorbed: true })
  })

  test('nothing, where nothing was absorbed', () => {
    const { call, candidate } = sent()
    expect(absorption(call, { candidate, facts: FACTS }, false)).toEqual({ absorbed: false })
  })
})

describe('who pays the prompt of what was sent whole', () => {
  test.each([
    ['client', 'prompt', true],
    ['client', 'free', false],
    ['shutdown', 'prompt', false],
    ['storage', 'prompt', false],
  ] as const)('left by the %s, %s: %p', (by, beforeContent, pays) => {
    const { call } = sent(PRICE, { money: { beforeContent } })
    expect(paysPrompt(call)).toBe(false)
    call.leave.fire(by)
    expect(paysPrompt(call)).toBe(pays)
  })
})
