import { describe, expect, test } from 'bun:test'
import { createTraffic } from '../../../src/pipeline/traffic.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'

const PLAIN = { stream: false, leave: { fire() {} } }

describe('traffic', () => {
  test('a request is alive until its work is over, however that ends', async () => {
    const traffic = createTraffic()
    const good = Promise.withResolvers<boolean>()
    const bad = Promise.withResolvers<boolean>()
    traffic.add('one', good.promise, { ...PLAIN, stream: true })
    traffic.add('two', bad.promise, PLAIN)
    expect([traffic.inFlight, traffic.streams]).toEqual([2, 1])
    expect([traffic.isAlive('one'), traffic.isAlive('three')]).toEqual([true, false])
    good.resolve(true)
    bad.reject(new Error('disk'))
    await settleMicrotasks()
    expect([traffic.inFlight, traffic.streams, traffic.isAlive('two')]).toEqual([0, 0, false])
    expect(traffic.settled).toBe(1)
  })

  test('draining waits for all that runs, and for nothing when nothing does', async () => {
    const traffic = createTraffic()
    await traffic.whenIdle()
    const works = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()]
    for (const [at, work] of works.entries()) traffic.add(String(at), work.promise, PLAIN)
    traffic.beginDrain()
    expect(traffic.draining).toBe(true)
    let isIdle = false
    const idle = traffic.whenIdle().then(() => {
      isIdle = true
    })
    works[0]?.resolve(false)
    await settleMicrotasks()
    expect(isIdle).toBe(false)
    works[1]?.resolve(true)
    await idle
  })

  test('making an end of it tells all that still runs, once their work is over nobody', async () => {
    const traffic = createTraffic()
    const told: string[] = []
    const call = (name: string) => ({
      stream: true,
      leave: { fire: (reason: string) => told.push(`${name} ${reason}`) },
    })
    traffic.add('over', Promise.resolve(true), call('over'))
    await traffic.whenIdle()
    traffic.add('one', new Promise(() => {}), call('one'))
    traffic.add('two', new Promise(() => {}), call('two'))
    traffic.endAll()
    expect(told).toEqual(['one shutdown', 'two shutdown'])
  })

  test('who listens is told when draining begins, who stopped is not', () => {
    const traffic = createTraffic()
    const told: string[] = []
    traffic.onDrain(() => told.push('one'))
    traffic.onDrain(() => told.push('two'))()
    traffic.beginDrain()
    expect(told).toEqual(['one'])
  })
})
