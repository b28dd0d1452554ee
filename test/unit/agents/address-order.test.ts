import { describe, expect, test } from 'bun:test'
import { addressOrder } from '../../../src/agents/address-order.ts'

const none = (): boolean => false

describe('addressOrder', () => {
  test('IPv6 and IPv4 in turn, each family in its own order', () => {
    expect(addressOrder(['10.0.0.1', '10.0.0.2', '10.0.0.3', '::a', '::b'], none)).toEqual([
      '::a',
      '10.0.0.1',
      '::b',
      '10.0.0.2',
    ])
    expect(addressOrder(['10.0.0.1', '10.0.0.2', '::a'], none)).toEqual(['::a', '10.0.0.1', '10.0.0.2'])
  })

  test('what was slow comes last, in turn too', () => {
    const slow = new Set(['::a', '10.0.0.1', '::b'])
    const order = addressOrder(['10.0.0.1', '10.0.0.2', '::a', '::b'], (ip) => slow.has(ip))
    expect(order).toEqual(['10.0.0.2', '::a', '10.0.0.1', '::b'])
  })

  test('at most four', () => {
    const many = Array.from({ length: 20 }, (_, at) => `10.0.0.${at}`)
    expect(addressOrder(many, none)).toEqual(many.slice(0, 4))
  })
})
