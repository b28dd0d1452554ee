import { expect, test } from 'bun:test'
import { ended } from '../../../src/pipeline/ended.ts'
import { beginWork } from '../../../src/pipeline/work.ts'
import { asking } from '../../support/ask.ts'
import { createHouseDouble } from '../../support/house.ts'
import { recordOf, timingOf } from './support.ts'

test('a whole answer is told with its time, recorded, and the request is over', async () => {
  await using world = createHouseDouble()
  const response = ended(beginWork(world.house, asking().arrival), Buffer.from('{}'))
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
  expect(timingOf(response).has('gw')).toBe(true)
  expect(await response.text()).toBe('{}')
  expect(await recordOf(world)).toMatchObject({ status: 200, errorCode: null })
  expect(world.traffic.inFlight).toBe(0)
})

test('its type is told where it is another', async () => {
  await using world = createHouseDouble()
  const response = ended(beginWork(world.house, asking().arrival), Buffer.from('a'), 'image/png')
  expect(response.headers.get('content-type')).toBe('image/png')
})
