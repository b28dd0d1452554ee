import { expect, test } from 'bun:test'
import { captureWorld } from '../../../../src/pipeline/route/capture-world.ts'
import { createHouseDouble } from '../../../support/house.ts'
import { worldOf } from './route-kit.ts'

test('a world is one moment: what is written later is not in it', async () => {
  await using double = createHouseDouble()
  const { context } = worldOf()
  const before = captureWorld(double.house, context)
  expect(before).toMatchObject({ context, nowMs: double.clock.wallMs() })
  expect(before.catalogue).toBe(double.house.catalogue())

  const by = { actor: 'local:7', claim: null }
  await double.house.health.set({ backend: 'north', reason: 'a flood', forMs: null }, by)
  double.clock.advance(5)
  const after = captureWorld(double.house, context)
  expect(before.quarantine.size).toBe(0)
  expect(after.quarantine.get('north')?.operator?.reason).toBe('a flood')
  expect(after.nowMs - before.nowMs).toBe(5)
})
