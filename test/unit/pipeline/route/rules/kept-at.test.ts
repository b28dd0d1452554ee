import { describe, expect, test } from 'bun:test'
import type { KeptFor } from '../../../../../src/pipeline/find-kept.ts'
import { route } from '../../../../../src/pipeline/route/index.ts'
import { ownSecret, worldOf } from '../route-kit.ts'

const place = (backend: string, own: string | null = null) => ({ backend, credential: own, isOwn: own !== null })

function planOf(kept: KeptFor | undefined, hasOwn = true) {
  const { candidates, skips } = route(worldOf({ own: hasOwn ? [ownSecret('cred_1')] : [] }), {
    model: 'acme/large',
    kept,
  })
  return { tried: candidates.map(({ offer, own }) => [offer.backend.id, own?.id]), skips }
}

describe('a request stays where what it names is kept', () => {
  test.each([
    ['by an operator’s credential', { place: place('south'), foreign: null, tokens: 0 }, [['south', undefined]]],
    ['by an own one', { place: place('south', 'cred_1'), foreign: null, tokens: 0 }, [['south', 'cred_1']]],
    ['nowhere that is left', { place: place('gone'), foreign: null, tokens: 0 }, []],
  ])('%s', (_name, kept, tried) => expect<unknown>(planOf(kept).tried).toEqual(tried))
})

test('what nobody knows whose it is goes with own credentials alone', () => {
  const { tried, skips } = planOf({ place: null, foreign: 'conversation', tokens: 0 })
  expect(tried).toEqual([
    ['north', 'cred_1'],
    ['south', 'cred_1'],
  ])
  expect(skips.map(({ rule, reason }) => [rule, reason])).toEqual(
    Array(2).fill(['kept-at', "what 'conversation' names is not known here, so only an own credential may be used"]),
  )
})

test('a request that names nothing goes everywhere', () => expect(planOf(undefined, false).tried).toHaveLength(2))
