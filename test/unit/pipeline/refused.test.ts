import { expect, test } from 'bun:test'
import { GatewayError } from '../../../src/domain/index.ts'
import { refused } from '../../../src/pipeline/refused.ts'
import { beginWork } from '../../../src/pipeline/work.ts'
import { asking } from '../../support/ask.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { createHouseDouble } from '../../support/house.ts'
import { errorOf, recordOf, timingOf } from './support.ts'

test('an error is told with its time, recorded, and the request is over', async () => {
  await using world = createHouseDouble()
  const work = beginWork(world.house, asking().arrival)
  expect(world.traffic.inFlight).toBe(1)
  const response = refused(work, new GatewayError('no_capacity', 'Full.', { retryAfterMs: 1000 }), null)
  expect(timingOf(response).has('gw')).toBe(true)
  expect(response.headers.get('retry-after')).toBe('1')
  expect(await errorOf(response)).toMatchObject({ status: 503, error: { code: 'no_capacity', message: 'Full.' } })
  expect(await recordOf(world)).toMatchObject({ status: 503, errorCode: 'no_capacity' })
  await settleMicrotasks()
  expect(world.traffic.inFlight).toBe(0)
})
