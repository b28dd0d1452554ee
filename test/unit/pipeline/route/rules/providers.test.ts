import { expect, test } from 'bun:test'
import { providers } from '../../../../../src/pipeline/route/rules/providers.ts'
import { worldOf } from '../route-kit.ts'
import { offerAt, PLAIN, reasonOf, wishing } from '../wish-kit.ts'

const acme = offerAt({ id: 'acme-eu', provider: 'acme', region: 'fr' })
const reason = (wish: Parameters<typeof reasonOf>[2]) => reasonOf(providers, acme, wish)

test('does not apply to a request that names no provider', () => {
  expect(providers.applies?.(PLAIN, worldOf())).toBe(false)
  expect(providers.applies?.(wishing({ order: ['other'] }), worldOf())).toBe(false)
  expect(reason(PLAIN)).toBeNull()
})

test('`only` keeps what it names, `ignore` drops it', () => {
  expect(reason(wishing({ only: ['other', 'acme'] }))).toBeNull()
  expect(reason(wishing({ only: ['other'] }))).toBe('the request does not have it in provider.only')
  expect(reason(wishing({ ignore: ['acme/fr'] }))).toBe('the request has it in provider.ignore')
  expect(reason(wishing({ ignore: ['acme/us'] }))).toBeNull()
})

test('`order` drops only when no fallbacks are allowed', () => {
  expect(reason(wishing({ order: ['other'] }))).toBeNull()
  expect(reason(wishing({ order: ['other'], allowFallbacks: false }))).toContain('allows no fallbacks')
  expect(reason(wishing({ order: ['acme-eu'], allowFallbacks: false }))).toBeNull()
  expect(reason(wishing({ allowFallbacks: false }))).toBeNull()
})

test('a pin holds without preferences, and beside them', () => {
  expect(reason({ ...PLAIN, pin: 'acme' })).toBeNull()
  expect(reason({ ...PLAIN, pin: 'other' })).toBe('the request is pinned to another provider')
  expect(reason(wishing({ ignore: ['acme'] }, {}, { pin: 'acme' }))).toBe('the request has it in provider.ignore')
})
