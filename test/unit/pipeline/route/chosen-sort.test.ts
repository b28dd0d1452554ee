import { expect, test } from 'bun:test'
import { chosenSort } from '../../../../src/pipeline/route/chosen-sort.ts'
import { PLAIN, wishing } from './wish-kit.ts'

test('the variant, else the request, else the operator', () => {
  const asked = wishing({ sort: { by: 'uptime', acrossModels: false } })
  expect(chosenSort({ ...asked, variant: 'nitro' }, { sort: 'weight' })).toBe('throughput')
  expect(chosenSort({ ...asked, variant: 'floor' }, { sort: 'weight' })).toBe('price')
  expect(chosenSort({ ...asked, variant: 'free' }, { sort: 'weight' })).toBe('uptime')
  expect(chosenSort(asked, { sort: 'weight' })).toBe('uptime')
  expect(chosenSort(PLAIN, { sort: 'weight' })).toBe('weight')
  expect(chosenSort(PLAIN, { sort: null })).toBeNull()
})
