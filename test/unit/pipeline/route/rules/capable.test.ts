import { expect, test } from 'bun:test'
import { capable } from '../../../../../src/pipeline/route/rules/capable.ts'
import { offerAt, PLAIN, reasonOf, wishing } from '../wish-kit.ts'

const needing = (...needs: ('tools' | 'images' | 'json_schema')[]) => wishing({}, { needs })

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
