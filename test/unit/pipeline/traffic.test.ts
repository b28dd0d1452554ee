import { describe, expect, test } from 'bun:test'
import { createTraffic } from '../../../src/pipeline/traffic.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'

const PLAIN = { stream: false, isReceiving: false, leave: { fire() {} } }

describe('traffic', () => {
  test('a request is alive until its work is over, however that ends', () => {
    const traffic = createTraffic()
    traffic.add('one', { ...PLAIN, stream: true })
    traffic.add('two', PLAIN)
    expect([traffic.inFlight, traffic.streams]).toEqual([2, 1])
    expect([traffic.isAlive('one'), traffic.isAlive('three')]).toEqual([true, false])
    traffic.end('one', true)
    traffic.end('one', true) // it was over already
    traffic.end('two', false)
    expect([traffic.inFlight, traffic.streams, traffic.isAlive('two')]).toEqual([0, 0, false])
    expect(traffic.settled).toBe(1)
  })

  test('draining waits for all that runs, and for nothing when nothing does', async () => {
    const traffic = createTraffic()
    await traffic.whenIdle()
    for (const name of ['one', 'two']) traffic.add(name, PLAIN)
    traffic.beginDrain()
    expect(traffic.draining).toBe(true)
    let isIdle = false
    const idle = traffic.whenIdle().then(() => {
      isIdle = true
    })
    traffic.end('one', false)
    await settleMicrotasks()
    expect(isIdle).toBe(false)
    traffic.end('two', true)
    await idle
  })

  test('making an end of it tells all that still runs, once their work is over nobody', async () => {
    const traffic = createTraffic()
    const told: string[] = []
    const call = (name: string) => ({ ...PLAIN, leave: { fire: (reason: string) => told.push(`${name} ${reason}`) } })
    traffic.add('over', call('over'))
    traffic.end('over', true)
    await traffic.whenIdle()
    traffic.add('one', call('one'))
    traffic.add('two', call('two'))
    traffic.endAll()
    expect(told).toEqual(['one shutdown', 'two shutdown'])
  })

  test('when draining begins, those whose body is still coming are told, the others are not', () => {
    const traffic = createTraffic()
    const told: string[] = []
    const call = (name: string, isReceiving: boolean) => ({
      ...PLAIN,
      isReceiving,
      leave: { fire: (reason: string) => told.push(`${name} ${reason}`) },
    })
    traffic.add('one', call('one', true))
    traffic.add('two', call('two', false))
    traffic.beginDrain()
    expect(told).toEqual(['one shutdown'])
  })
})
