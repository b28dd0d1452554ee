import { expect, test } from 'bun:test'
import { Watches } from '../../../src/health/watches.ts'

test('each backend has one', () => {
  const watches = new Watches()
  expect(watches.of('north')).toBe(watches.of('north'))
  expect(watches.of('north')).not.toBe(watches.of('south'))
})

test('an account’s own place has none that is kept', () => {
  const watches = new Watches()
  expect(watches.of('own:cred_1')).not.toBe(watches.of('own:cred_1'))
})
