import { describe, expect, test } from 'bun:test'
import type { NamedAddress } from '../../../src/agents/lookup.ts'
import { createResolver } from '../../../src/agents/resolver.ts'
import { fakeClock, settleMicrotasks } from '../../support/fake-clock.ts'

const S = 1000
const found = (...ips: string[]) => ({ kind: 'addresses' as const, ips })

/** A resolver over answers that the test gives, or lets wait. */
function scripted(answer: () => readonly NamedAddress[] | Promise<readonly NamedAddress[]>) {
  const clock = fakeClock()
  const asked: string[] = []
  const lookup = async (host: string) => {
    asked.push(host)
    return answer()
  }
  return { clock, asked, resolver: createResolver({ lookup, clock }) }
}

const at = (ip: string, ttlS: number | null = 60): NamedAddress[] => [{ ip, ttlS }]

describe('a name', () => {
  test('is asked for once, however many ask at the same time, and known for its life', async () => {
    const { resolver, asked, clock } = scripted(() => at('10.0.0.1'))
    const all = await Promise.all([resolver.find('h'), resolver.find('h'), resolver.find('i')])
    expect(all).toEqual([found('10.0.0.1'), found('10.0.0.1'), found('10.0.0.1')])
    clock.advance(60 * S - 1)
    expect(resolver.find('h')).toEqual(found('10.0.0.1')) // no promise: it is known
    expect(asked).toEqual(['h', 'i'])
  })

  test.each([
    ['short lives are stretched', 0, 5],
    ['long lives are cut', 86_400, 300],
    ['what says nothing lives 30 s', null, 30],
  ])('%s', async (_name, ttlS, lifeS) => {
    const { resolver, asked, clock } = scripted(() => at('10.0.0.1', ttlS))
    await resolver.find('h')
    clock.advance(lifeS * S - 1)
    resolver.find('h')
    expect(asked).toHaveLength(1)
    clock.advance(1)
    resolver.find('h')
    expect(asked).toHaveLength(2)
  })

  test('the shortest life of its addresses counts, and each address once', async () => {
    const twice = [...at('10.0.0.1', 200), ...at('10.0.0.2', 20), ...at('10.0.0.1', 200)]
    const { resolver, asked, clock } = scripted(() => twice)
    expect(await resolver.find('h')).toEqual(found('10.0.0.1', '10.0.0.2'))
    clock.advance(20 * S)
    resolver.find('h')
    expect(asked).toHaveLength(2)
  })

  test('an old answer serves while a new one is fetched', async () => {
    let ip = '10.0.0.1'
    const { resolver, asked, clock } = scripted(() => at(ip))
    await resolver.find('h')
    ip = '10.0.0.2'
    clock.advance(60 * S)
    expect(resolver.find('h')).toEqual(found('10.0.0.1'))
    expect(resolver.find('h')).toEqual(found('10.0.0.1'))
    expect(asked).toHaveLength(2)
    await settleMicrotasks()
    expect(resolver.find('h')).toEqual(found('10.0.0.2'))
  })

  test('an old answer serves for an hour when no new one can be had, asked for every 2 s', async () => {
    let isDown = false
    const { resolver, asked, clock } = scripted(() => (isDown ? Promise.reject(new Error('down')) : at('10.0.0.1')))
    await resolver.find('h')
    isDown = true
    clock.advance(60 * S)
    for (let n = 0; n < 3; n++) {
      expect(resolver.find('h')).toEqual(found('10.0.0.1'))
      await settleMicrotasks()
    }
    expect(asked).toHaveLength(2)
    clock.advance(2 * S)
    expect(resolver.find('h')).toEqual(found('10.0.0.1'))
    expect(asked).toHaveLength(3)
    await settleMicrotasks()
    clock.advance(3600 * S)
    expect(await resolver.find('h')).toEqual({ kind: 'failed', reason: 'dns', message: 'down' })
  })

  test('a failure is kept for 2 s', async () => {
    let isDown = true
    const { resolver, asked, clock } = scripted(() => (isDown ? Promise.reject(new Error('down')) : at('10.0.0.1')))
    expect(await resolver.find('h')).toMatchObject({ kind: 'failed', message: 'down' })
    isDown = false
    clock.advance(2 * S - 1)
    expect(resolver.find('h')).toMatchObject({ kind: 'failed' })
    expect(asked).toHaveLength(1)
    clock.advance(1)
    expect(await resolver.find('h')).toEqual(found('10.0.0.1'))
  })

  test('no address is a failure', async () => {
    expect(await scripted(() => []).resolver.find('h')).toEqual({
      kind: 'failed',
      reason: 'dns',
      message: 'h has no address',
    })
  })

  test('one whose addresses cannot be reached is asked for again', async () => {
    let ip = '10.0.0.1'
    const { resolver } = scripted(() => at(ip))
    await resolver.find('h')
    ip = '10.0.0.2'
    resolver.doubt('h')
    expect(resolver.find('h')).toEqual(found('10.0.0.1'))
    await settleMicrotasks()
    expect(resolver.find('h')).toEqual(found('10.0.0.2'))
  })

  test('the oldest of more than 1024 is forgotten', async () => {
    const { resolver, asked } = scripted(() => at('10.0.0.1'))
    for (let n = 0; n <= 1024; n++) await resolver.find(`h${n}`)
    resolver.find('h1')
    expect(asked).toHaveLength(1025)
    resolver.find('h0')
    expect(asked).toHaveLength(1026)
  })
})

test('an address is its own answer', () => {
  const { resolver, asked } = scripted(() => [])
  expect(resolver.find('10.0.0.1')).toEqual(found('10.0.0.1'))
  expect(resolver.find('::1')).toEqual(found('::1'))
  expect(asked).toEqual([])
})

test('a slow address is tried last for ten minutes', async () => {
  const { resolver, clock } = scripted(() => [...at('10.0.0.1', 300), ...at('10.0.0.2', 300)])
  await resolver.find('h')
  resolver.demote('10.0.0.1')
  expect(resolver.find('h')).toEqual(found('10.0.0.2', '10.0.0.1'))
  clock.advance(600 * S)
  expect(await resolver.find('h')).toEqual(found('10.0.0.1', '10.0.0.2'))
})
