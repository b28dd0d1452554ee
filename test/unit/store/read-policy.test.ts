import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { DEFAULT_POLICY, GatewayError, type Policy } from '../../../src/domain/index.ts'
import { readPolicy, writePolicy } from '../../../src/store/sqlite/read-policy.ts'

const list = fc.option(fc.array(fc.string(), { maxLength: 3 }), { nil: null })
const policies: fc.Arbitrary<Policy> = fc.record({
  allowForeign: fc.boolean(),
  regions: list,
  ownerships: list,
  zeroRetention: fc.boolean(),
  allowTraining: fc.boolean(),
  only: list,
  ignore: list,
})

const WHOLE: Policy = { ...DEFAULT_POLICY, only: ['acme'] }

/** What stands inside of the refusal; null when it is read. */
function refusalOf(value: unknown): string | null {
  try {
    readPolicy(value)
    return null
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'storage_unavailable') return error.details.internal ?? ''
    throw error
  }
}

test('what was written is read; the one that everybody has at first is NULL', () => {
  fc.assert(
    fc.property(policies, (policy) => {
      const written = writePolicy(policy)
      expect(readPolicy(written === null ? null : JSON.parse(written))).toEqual(policy)
    }),
  )
  expect(writePolicy(DEFAULT_POLICY)).toBeNull()
})

test('a field that is wrong or missing, or of a newer version, refuses the whole: no bound may be lost', () => {
  for (const name of Object.keys(WHOLE)) {
    for (const wrong of [1, 'true', [1], {}, ['a', null]])
      expect(refusalOf({ ...WHOLE, [name]: wrong })).toBe(`wrong fields: ${name}`)
    expect(refusalOf(Object.fromEntries(Object.entries(WHOLE).filter(([other]) => other !== name)))).toBe(
      `wrong fields: ${name}`,
    )
  }
  expect(refusalOf({ ...WHOLE, newer: null })).toBe('wrong fields: newer')
  expect(refusalOf({ ...WHOLE, constructor: null })).toBe('wrong fields: constructor')
  for (const none of ['all', 1, true, [], [WHOLE]]) expect(refusalOf(none)).toBe('it is no object')
})
