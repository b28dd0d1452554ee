import { expect, test } from 'bun:test'
import { parameters } from '../../../../../src/pipeline/route/rules/parameters.ts'
import { offerAt, PLAIN, reasonOf, wishing } from '../wish-kit.ts'

const requiring = (...names: string[]) => wishing({ parameters: names })

test('applies to those who require it alone', () => {
  expect(reasonOf(parameters, offerAt({}, { parameters: [] }), wishing({}))).toBeNull()
  expect(reasonOf(parameters, offerAt({}, { parameters: [] }), PLAIN)).toBeNull()
})

test('every parameter must be known', () => {
  const offer = offerAt({}, { parameters: ['seed', 'top_k'] })
  expect(reasonOf(parameters, offer, requiring('seed', 'top_k'))).toBeNull()
  expect(reasonOf(parameters, offer, requiring('seed', 'stop', 'min_p'))).toBe('the offer does not know stop, min_p')
  expect(reasonOf(parameters, offer, requiring())).toBeNull()
})

test('without a list only what capabilities imply is known', () => {
  const offer = offerAt({}, { capabilities: ['tools', 'json_schema'] })
  expect(reasonOf(parameters, offer, requiring('tools', 'tool_choice', 'structured_outputs'))).toBeNull()
  expect(reasonOf(parameters, offer, requiring('tools', 'seed'))).toBe('the offer is not known to know seed')
  expect(reasonOf(parameters, offerAt({}), requiring('tools'))).toBe('the offer is not known to know tools')
})
