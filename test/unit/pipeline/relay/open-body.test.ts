import { expect, test } from 'bun:test'
import type { DispatchEnd } from '../../../../src/pipeline/handover.ts'
import { openBody } from '../../../../src/pipeline/relay/open-body.ts'
import { settleMicrotasks } from '../../../support/fake-clock.ts'
import { createHouseDouble } from '../../../support/house.ts'
import { callAt, reading } from '../support.ts'

const BEAT = ': heartbeat\n\n'

function opened() {
  const world = createHouseDouble({ routing: { heartbeatAfterMs: 1000 } })
  const caller = callAt(world)
  const { promise, resolve, reject } = Promise.withResolvers<DispatchEnd>()
  const told: string[] = []
  const body = openBody(world.house, caller.call, {
    dispatching: promise,
    begins: () => {
      throw new Error('no stream here')
    },
    fails: (end) => {
      told.push(end.kind)
      return Buffer.from('[failed]')
    },
    breaks: (bug) => {
      told.push(String(bug))
      return Buffer.from('[bug]')
    },
  })
  const unserved = { kind: 'unserved', mayHaveRun: null, reported: null } as unknown as DispatchEnd
  return { ...caller, world, body, told, fail: () => resolve(unserved), reject }
}

test('beats at once and as long as nothing comes, then ends', async () => {
  await using made = Object.assign(opened(), { [Symbol.asyncDispose]: async () => made.world[Symbol.asyncDispose]() })
  const client = reading(made.body)
  expect(await client.next()).toBe(BEAT)
  made.world.clock.advance(1000)
  expect(await client.next()).toBe(BEAT)
  made.fail()
  expect(await client.rest()).toBe('[failed]')
  expect([made.told, made.world.clock.timers]).toEqual([['unserved'], 0])
})

test('what came before it is read needs no beat', async () => {
  const made = opened()
  made.fail()
  await settleMicrotasks()
  expect(made.told).toEqual(['unserved'])
  expect(await reading(made.body).rest()).toBe('[failed]')
})

test('a bug in dispatching ends it too', async () => {
  const made = opened()
  const client = reading(made.body)
  await client.next()
  made.reject(new Error('inner'))
  expect(await client.rest()).toBe('[bug]')
  expect(made.told).toEqual(['Error: inner'])
})

test('a reader that leaves is the caller leaving', async () => {
  const made = opened()
  const client = reading(made.body)
  await client.next()
  await client.cancel()
  expect(made.call.leave.reason).toBe('client')
  made.fail()
  await settleMicrotasks()
  expect(made.world.clock.timers).toBe(0)
})
