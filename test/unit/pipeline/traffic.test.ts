import { describe, expect, test } from 'bun:test'
import { createTraffic } from '../../../src/pipeline/traffic.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'

describe('traffic', () => {
  test('a request is alive until its work is over, however that ends', async () => {
    const traffic = createTraffic()
    const good = Promise.withResolvers<void>()
    const bad = Promise.withResolvers<void>()
    traffic.add('one', good.promise)
    traffic.add('two', bad.promise)
    expect([traffic.inFlight, traffic.isAlive('one'), traffic.isAlive('three')]).toEqual([2, true, false])
    good.resolve()
    bad.reject(new Error('disk'))
    await settleMicrotasks()
    expect([traffic.inFlight, traffic.ended, traffic.isAlive('two')]).toEqual([0, 2, false])
  })

  test('draining waits for all that runs, and for nothing when nothing does', async () => {
    const traffic = createTraffic()
    await traffic.whenIdle()
    const works = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    for (const [at, work] of works.entries()) traffic.add(String(at), work.promise)
    traffic.beginDrain()
    expect(traffic.draining).toBe(true)
    let isIdle = false
    const idle = traffic.whenIdle().then(() => {
      isIdle = true
    })
    works[0]?.resolve()
    await settleMicrotasks()
    expect(isIdle).toBe(false)
    works[1]?.resolve()
    await idle
  })
})
