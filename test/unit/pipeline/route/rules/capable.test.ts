import { expect, test } from 'bun:test'
import type { Capability } from '../../../../../src/domain/index.ts'
import { capable } from '../../../../../src/pipeline/route/rules/capable.ts'
import { worldOf } from '../route-kit.ts'
import { offerAt, PLAIN, reasonOf, wishing } from '../wish-kit.ts'

const needing = (...needs: Capability[]) => wishing({}, { needs })

test('of an offer of which nothing is said nothing is kept', () => {
  expect(reasonOf(capable, offerAt({}), needing('tools', 'images'))).toBeNull()
})

test('what an offer cannot do is told by the first need that it lacks', () => {
  const offer = offerAt({}, { capabilities: ['tools'] })
  expect(reasonOf(capable, offer, needing('tools'))).toBeNull()
  expect(reasonOf(capable, offer, needing('tools', 'images', 'json_schema'))).toBe('the model cannot see images')
  expect(reasonOf(capable, offerAt({}, { capabilities: [] }), needing('tools'))).toBe('the model cannot use tools')
  expect(reasonOf(capable, offer, PLAIN)).toBeNull()
})

test.each([
  ['tools', 'use tools'],
  ['json_schema', 'keep to a JSON schema'],
  ['images', 'see images'],
  ['audio', 'hear audio'],
  ['files', 'read files'],
  ['video', 'see videos'],
] as const)('in words: %s', (need, words) => {
  expect(reasonOf(capable, offerAt({}, { capabilities: [] }), needing(need))).toBe(`the model cannot ${words}`)
})

test('does not apply to a request without needs', () => {
  expect(capable.applies?.(PLAIN, worldOf())).toBe(false)
})
