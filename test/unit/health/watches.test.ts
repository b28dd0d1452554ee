import { expect, test } from 'bun:test'
import { Watches } from '../../../src/health/watches.ts'

test('each backend has one', () => {
  const watches = new Watches()
  expect(watches.of('north')).toBe(watches.of('north'))
  expect(watches.of('north')).not.toBe(watches.of('south'))
})
