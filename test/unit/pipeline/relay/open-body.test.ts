import { describe, expect, test } from 'bun:test'
import type { DispatchEnd } from '../../../../src/pipeline/handover.ts'
import { OpenBody, type OpenPlan, openBody } from '../../../../src/pipeline/relay/open-body.ts'
import { settleMicrotasks } from '../../../support/fake-clock.ts'
import { createHouseDouble } from '../../../support/house.ts'
import { callAt, reading } from '../support.ts'
import { content, handController, planned } from './relay-kit.ts'

const BEAT = ': heartbeat\n\n'

const UNSERVED = { kind: 'unserved', mayHaveRun: null, reported: null } as unknown as DispatchEnd
const STREAMING = { kind: 'streaming' } as unknown as DispatchEnd

function dispatching(begins: OpenPlan['begins']) {
  const { promise, resolve, reject } = Promise.withResolvers<DispatchEnd>()
  const told: string[] = []
  const plan: OpenPlan = {
    dispatching: promise,
    begins,
    fails: (end) => {
      told.push(end.kind)
      return Buffer.from('[failed]')
    },
    breaks: (bug) => {
      told.push(String(bug))
      return Buffer.from('[bug]')
    },
  }
  return { plan, told, fail: () => resolve(UNSERVED), begin: () => resolve(STREAMING), reject }
}

function opened() {
  const world = createHouseDouble({ routing: { heartbeatAfterMs: 1000 } })
  const caller = callAt(world)
  const made = dispatching(() => {
    throw new Error('no stream here')
  })
  return { ...caller, ...made, world, body: openBody(world.house, caller.call, made.plan) }
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

describe('a client in hand', () => {
  /** It runs already, or not yet. */
  function running() {
    const made = planned({ heartbeatAfterMs: 1000 })
    const asked = dispatching(() => made.plan)
    const body = new OpenBody(made.world.house, made.call, asked.plan)
    const client = handController()
    return Object.assign(made, { asked, client, run: () => body.run(client.controller) })
  }

  test.each(['written', 'flushed'] as const)('gets no second beat before it has taken the first, %s', async (told) => {
    await using made = running()
    made.client.fill(told)
    const over = made.run()
    made.world.clock.advance(3000)
    expect(made.client.given).toEqual([BEAT])
    made.client.take()
    await settleMicrotasks()
    made.world.clock.advance(1000)
    expect(made.client.given).toEqual([BEAT, BEAT])
    made.asked.fail()
    await over
    expect([made.client.given.at(-1), made.client.closes]).toEqual(['[failed]', ['clean']])
  })

  test('that hangs up before it has taken a beat has left', async () => {
    await using made = running()
    made.client.fill('flushed')
    const over = made.run()
    made.client.hangUp()
    await settleMicrotasks()
    expect(made.call.leave.reason).toBe('client')
    made.asked.fail()
    await over
  })

  test.each([
    ['before', true],
    ['while', false],
  ])('gets a stream that began %s it reads, without beats in between, and its end', async (_name, isEarly) => {
    await using made = running()
    const early = isEarly ? null : made.run()
    made.asked.begin()
    await settleMicrotasks()
    const over = early ?? made.run()
    made.world.clock.advance(999)
    made.to.events([content('more ')])
    made.world.clock.advance(999)
    made.to.end()
    await over
    expect(made.client.given).toEqual([...(isEarly ? [] : [BEAT]), 'held ', 'more '])
    expect([made.client.closes, made.ends]).toEqual([['clean'], [{ kind: 'completed' }]])
    expect([made.world.clock.timers, made.listeners()]).toEqual([0, 0])
  })
})
