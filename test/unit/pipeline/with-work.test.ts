import { expect, test } from 'bun:test'
import { GatewayError } from '../../../src/domain/index.ts'
import { ended } from '../../../src/pipeline/ended.ts'
import { withWork } from '../../../src/pipeline/with-work.ts'
import { asking } from '../../support/ask.ts'
import { createHouseDouble } from '../../support/house.ts'
import { errorOf } from './support.ts'

test('what is served is the answer, and in progress until then', async () => {
  await using world = createHouseDouble()
  const response = await withWork(world.house, asking().arrival, (work) => {
    expect(world.traffic.inFlight).toBe(1)
    return ended(work, Buffer.from('{}'))
  })
  expect(await response.text()).toBe('{}')
  expect(world.traffic.inFlight).toBe(0)
})

test.each([
  ['no_capacity', 503, new GatewayError('no_capacity', 'Full.')],
  ['internal_error', 500, new TypeError('a bug')],
])('what is thrown is the answer too: %s', async (code, status, thrown) => {
  await using world = createHouseDouble()
  const serve = async () => {
    throw thrown
  }
  expect(await errorOf(await withWork(world.house, asking().arrival, serve))).toMatchObject({ status, error: { code } })
  expect(world.traffic.inFlight).toBe(0)
  expect(world.takeErrors()).toHaveLength(code === 'internal_error' ? 1 : 0)
})
