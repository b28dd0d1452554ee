import { expect, test } from 'bun:test'
import { Coolings } from '../../../src/health/coolings.ts'

const cooling = (sinceMs: number) => ({ sinceMs, untilMs: sinceMs + 10, backoffMs: 10, evidence: 'seen' })

test('an account that cools nothing has none, and what was taken never changes', () => {
  const coolings = new Coolings()
  expect(coolings.of('acc_1').size).toBe(0)
  coolings.set('acc_1', 'north', cooling(0))
  const before = coolings.of('acc_1')
  coolings.set('acc_1', 'south', cooling(5))
  coolings.set('acc_2', 'north', cooling(5))
  coolings.clear('north', 'acc_1')
  expect([...coolings.of('acc_2').keys()]).toEqual(['north'])
  expect([...before.keys()]).toEqual(['north'])
  expect([...coolings.of('acc_1').keys()]).toEqual(['south'])
})

test('of a backend: those that are not over, of every account; all of them can be ended', () => {
  const coolings = new Coolings()
  coolings.set('acc_1', 'north', cooling(0))
  coolings.set('acc_2', 'north', cooling(5))
  expect(coolings.at('north', 9)).toHaveLength(2)
  expect(coolings.at('north', 10)).toEqual([{ ...cooling(5), accountId: 'acc_2' }])
  expect(coolings.at('south', 0)).toEqual([])
  coolings.clear('north')
  expect(coolings.of('acc_2').size).toBe(0)
})

test('are bounded: those that are over make room first', () => {
  const coolings = new Coolings()
  coolings.set('acc_kept', 'north', { ...cooling(0), untilMs: 1e6 })
  coolings.set('acc_old', 'north', cooling(40)) // over at 50
  for (let at = 0; at < 9998; at++) coolings.set(`acc_${at}`, 'north', { ...cooling(0), untilMs: 1e6 })
  coolings.set('acc_new', 'north', cooling(50))
  expect(coolings.of('acc_old').size).toBe(0)
  expect(coolings.of('acc_kept').size).toBe(1)
  coolings.set('acc_newer', 'north', cooling(51))
  expect(coolings.of('acc_kept').size).toBe(0) // none is over: the oldest goes
})
