import { expect, test } from 'bun:test'
import { checkedResolver } from '../../../src/agents/checked-resolver.ts'

function resolverOf(answers: readonly (readonly string[])[]) {
  let asked = 0
  const lookup = async () => (answers[asked++] ?? []).map((ip) => ({ ip, ttlS: 300 }))
  const resolver = checkedResolver(lookup, { allowPrivate: [], ownAddresses: () => [] })
  return { resolver, asked: () => asked }
}

test('every find asks anew: public first, private then, public again', async () => {
  const { resolver, asked } = resolverOf([['8.8.8.8'], ['10.0.0.1'], ['8.8.4.4', '8.8.4.4', '2606:4700::1']])
  expect(await resolver.find('h')).toEqual({ kind: 'addresses', ips: ['8.8.8.8'] })
  expect(await resolver.find('h')).toEqual({
    kind: 'failed',
    reason: 'address',
    message: 'h leads to 10.0.0.1: it is not public',
  })
  expect(await resolver.find('h')).toEqual({ kind: 'addresses', ips: ['2606:4700::1', '8.8.4.4'] })
  expect(await resolver.find('h')).toEqual({ kind: 'failed', reason: 'dns', message: 'h has no address' })
  expect(asked()).toBe(4)
})

test('an address is checked too, without asking', () => {
  const { resolver, asked } = resolverOf([])
  expect(resolver.find('8.8.8.8')).toEqual({ kind: 'addresses', ips: ['8.8.8.8'] })
  expect(resolver.find('::1')).toMatchObject({ kind: 'failed', reason: 'address' })
  expect(asked()).toBe(0)
})

test('what the name server says of its trouble is told as a failed name', async () => {
  const policy = { allowPrivate: [], ownAddresses: () => [] }
  const resolver = checkedResolver(() => Promise.reject(new Error('SERVFAIL')), policy)
  expect(await resolver.find('h')).toEqual({ kind: 'failed', reason: 'dns', message: 'SERVFAIL' })
})
