import { describe, expect, spyOn, test } from 'bun:test'
import { ZERO } from '../../../src/domain/index.ts'
import { guardHold } from '../../../src/pipeline/hold-guard.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { createHouseDouble } from '../../support/house.ts'
import { callAt } from './support.ts'

function guarding() {
  const world = createHouseDouble()
  const { call } = callAt(world)
  const hold = Promise.withResolvers<void>()
  const open = {
    hold: { requestId: call.requestId, accountId: 'a', keyId: 'k', openedAtMs: 0, amount: ZERO, covers: [] },
    durable: hold.promise,
  }
  return { world, call, hold, guard: guardHold(world.house, call, open) }
}

const refused = new Error('disk full')

describe('a hold', () => {
  test('on disk: nothing stops, no timer is left', async () => {
    const { world, call, hold, guard } = guarding()
    hold.resolve()
    await guard.onDisk()
    expect(world.clock.timers).toBe(0)
    expect(call.leave.reason).toBeNull()
  })

  test('that is asked for is told to hurry: it waits for no company any more', async () => {
    const { world, call, hold, guard } = guarding()
    const hurry = spyOn(world.store.writer, 'hurry')
    hold.resolve()
    await settleMicrotasks()
    expect(hurry).not.toHaveBeenCalled()
    await guard.onDisk()
    expect(hurry.mock.calls).toEqual([[call.requestId]])
  })

  test('whose commit fails stops the call at once', async () => {
    const { world, call, hold, guard } = guarding()
    hold.reject(refused)
    await expect(guard.onDisk()).rejects.toMatchObject({
      code: 'storage_unavailable',
      status: 503,
      retryable: false,
      message: expect.stringContaining('Nothing was charged'),
    })
    expect(call.leave.reason).toBe('storage')
    expect(world.clock.timers).toBe(0)
  })

  test('that is not on disk in 5 s stops the call', async () => {
    const { world, call, hold, guard } = guarding()
    world.clock.advance(4999)
    expect(call.leave.reason).toBeNull()
    world.clock.advance(1)
    expect(call.leave.reason).toBe('storage')
    await expect(guard.onDisk()).rejects.toMatchObject({ code: 'storage_unavailable' })
    hold.resolve() // too late to count
    await settleMicrotasks()
    await expect(guard.onDisk()).rejects.toMatchObject({ code: 'storage_unavailable' })
  })

  test('whose failure nobody asks for is no unhandled rejection', async () => {
    const { hold } = guarding()
    hold.reject(refused)
    await settleMicrotasks()
  })
})
