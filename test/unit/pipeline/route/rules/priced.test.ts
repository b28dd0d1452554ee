import { describe, expect, test } from 'bun:test'
import type { Price } from '../../../../../src/domain/index.ts'
import type { Wish } from '../../../../../src/pipeline/route/rule.ts'
import { priced } from '../../../../../src/pipeline/route/rules/priced.ts'
import { candidateOf, type WorldSpec, worldOf } from '../route-kit.ts'

function skipped(backend: string, spec: WorldSpec = {}) {
  const world = worldOf(spec)
  return priced.skip(candidateOf(world, 'acme/unpriced', backend), world, { model: 'acme/unpriced' })
}

test('keeps what has a price', () => {
  expect(skipped('south')).toBeNull()
})

test('what has none serves unmetered accounts alone', () => {
  expect(skipped('north')).toEqual({ reason: 'the offer has no price, so it serves unmetered accounts only' })
  expect(skipped('north', { kind: 'unmetered' })).toBeNull()
})

test('what asks to be served for more than the price is for who pays the provider otherwise', () => {
  const request = { choices: 1, outputLimit: null, promptTextBytes: 1, promptMediaUnits: 0, dearer: 'service_tier' }
  const skip = (spec: WorldSpec) => {
    const world = worldOf(spec)
    return priced.skip(candidateOf(world, 'acme/unpriced', 'south'), world, { model: 'acme/unpriced', request })
  }
  expect(skip({})).toEqual({ reason: "'service_tier' asks to be served for more than the offer's price" })
  expect(skip({ kind: 'unmetered' })).toBeNull()
})

describe('where an answer tells no usage, the price must have something by itself, or be free', () => {
  const skippedAt = (
    price: Price,
    spec: WorldSpec = {},
    pricedBy: NonNullable<Wish['request']>['pricedBy'] = ['perRequest', 'perMillionCharacters'],
  ) => {
    const world = worldOf(spec)
    const { offer } = candidateOf(world, 'acme/unpriced', 'south')
    const request = { choices: 1, outputLimit: null, promptTextBytes: 1, promptMediaUnits: 0 }
    return priced.skip({ offer: { ...offer, price } }, world, {
      model: 'acme/unpriced',
      request: { ...request, pricedBy },
    })
  }
  const TOKENS = { input: 1, output: 1 }

  test('it has', () => {
    expect(skippedAt({ ...TOKENS, perMillionCharacters: 5 })).toBeNull()
    expect(skippedAt({ ...TOKENS, perRequest: 0 })).toBeNull()
    expect(skippedAt({ input: 0, output: 0 })).toBeNull()
  })

  test('it has not', () => {
    expect(skippedAt({ ...TOKENS, perImage: 5 })).toEqual({
      reason: 'the answer tells no usage, and the offer has no price per request or per million characters',
    })
    expect(skippedAt(TOKENS, { kind: 'unmetered' })).toBeNull()
    const hours = skippedAt(TOKENS, {}, ['perAudioHour'])
    expect(hours).toEqual({ reason: 'the answer tells no usage, and the offer has no price per hour of audio' })
  })
})
