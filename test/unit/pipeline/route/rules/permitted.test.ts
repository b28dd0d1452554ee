import { describe, expect, test } from 'bun:test'
import { DEFAULT_POLICY, type Policy } from '../../../../../src/domain/index.ts'
import { permitted } from '../../../../../src/pipeline/route/rules/permitted.ts'
import { type WorldSpec, worldOf } from '../route-kit.ts'
import { candidateAt } from './policy-kit.ts'

const skipped = (spec: WorldSpec, router: { router?: string } = {}) =>
  permitted.skip(candidateAt({ id: 'north', provider: 'acme' }), worldOf(spec), router)

describe('models', () => {
  test('a key without a list may use every model, one with a list those on it', () => {
    expect(skipped({})).toBeNull()
    expect(skipped({ models: ['acme/small', 'acme/m'] })).toBeNull()
  })

  test('drops what is not on the list; an empty list permits nothing', () => {
    expect(skipped({ models: ['acme/small'] })).toEqual({ reason: 'the key may not use this model' })
    expect(skipped({ models: [] })).not.toBeNull()
  })

  test('a router model on the list lets its models be used where it is asked for, and its name alone nothing', () => {
    const spec = { models: ['team/cheap'], account: { models: ['acme/m', 'team/other'] } }
    expect(skipped(spec, { router: 'team/cheap' })).toBeNull()
    expect(skipped(spec)).toEqual({ reason: 'the key may not use this model' })
    expect(skipped(spec, { router: 'team/other' })).toEqual({ reason: 'the key may not use this model' })
  })

  test('what the account may not use, none of its keys may', () => {
    expect(skipped({ account: { models: ['acme/m'] } })).toBeNull()
    const bound = { account: { models: ['acme/small'] }, models: ['acme/m'] }
    expect(skipped(bound)).toEqual({ reason: 'the account may not use this model' })
  })
})

describe('backends', () => {
  const accountOf = (policy: Partial<Policy>) => ({ policy: { ...DEFAULT_POLICY, ...policy } })
  const reason = 'the account or the key may not use this backend'

  test('only: the backend or its provider must be named, by account and by key', () => {
    expect(skipped({ policy: { only: ['north'] } })).toBeNull()
    expect(skipped({ policy: { only: ['acme'] } })).toBeNull()
    expect(skipped({ policy: { only: ['south', 'other'] } })).toEqual({ reason, evidence: 'only south, other' })
    expect(skipped({ account: accountOf({ only: ['acme'] }), policy: { only: ['north'] } })).toBeNull()
    expect(skipped({ account: accountOf({ only: ['south'] }), policy: { only: ['north'] } })).not.toBeNull()
  })

  test('ignore: neither may be named, by either', () => {
    expect(skipped({ policy: { ignore: ['south'] } })).toBeNull()
    expect(skipped({ policy: { ignore: ['north'] } })).toEqual({ reason, evidence: 'it is to be ignored' })
    expect(skipped({ account: accountOf({ ignore: ['acme'] }), policy: { ignore: ['south'] } })).not.toBeNull()
  })
})

test.each<[string, WorldSpec, boolean]>([
  ['nothing', {}, false],
  ['models of the key', { models: [] }, true],
  ['models of the account', { account: { models: [] } }, true],
  ['only', { policy: { only: ['north'] } }, true],
  ['ignore', { policy: { ignore: ['north'] } }, true],
])('applies where %s is set', (_what, spec, expected) => {
  expect(permitted.applies({ model: 'acme/m' }, worldOf(spec))).toBe(expected)
})
