import { expect, test } from 'bun:test'
import { NO_USAGE, type Usage } from '../../../src/domain/index.ts'
import { keepAnswer } from '../../../src/pipeline/keep-answer.ts'
import { ACCOUNT, createHouseDouble, MODEL } from '../../support/house.ts'
import { callAt, candidatesOf } from './support.ts'

const DAY_MS = 86_400_000

function begin() {
  const world = createHouseDouble()
  const { call } = callAt(world)
  call.accountId = ACCOUNT
  const [candidate] = candidatesOf(world)
  if (candidate === undefined) throw new Error('no candidate')
  const maker = { candidate, credential: { id: 'main', secret: 's' } }
  return {
    world,
    call,
    maker,
    keep: (id: string, items: string[], usage: Usage | null = null) =>
      keepAnswer(world.house, call, maker, { id, items, usage }),
  }
}

test('the response and its items are written, for 30 days; ids that nobody could name are not', async () => {
  const { world, keep } = begin()
  await using _ = world
  await keep('resp_1', ['msg_1', '', 'x'.repeat(257)])
  const nowMs = world.clock.wallMs()
  const common = { accountId: ACCOUNT, backend: 'north', credential: 'main', isOwn: false, model: MODEL, told: null }
  expect([...world.store.tables.stored.values()]).toEqual([
    { ...common, id: 'resp_1', kind: 'response', createdAtMs: nowMs, untilMs: nowMs + 30 * DAY_MS },
    { ...common, id: 'msg_1', kind: 'item', createdAtMs: nowMs, untilMs: nowMs + 30 * DAY_MS },
  ])
})

test('how many tokens it is long is kept with it, and with each item its share of what was said', async () => {
  const { world, keep } = begin()
  await using _ = world
  await keep('resp_1', ['rs_1', 'msg_1'], { ...NO_USAGE, input: 100, cachedInput: 20, output: 6, reasoning: 3 })
  expect([...world.store.tables.stored.values()].map(({ id, told }) => [id, told])).toEqual([
    ['resp_1', { tokens: 129 }],
    ['rs_1', { tokens: 5 }],
    ['msg_1', { tokens: 5 }],
  ])
})

test('a disk that fails is told in the log, and what was made is known all the same', async () => {
  const { world, keep } = begin()
  await using _ = world
  world.store.disk.fail()
  await keep('resp_1', [])
  expect(world.logs.map(({ event }) => event)).toEqual(['stored_unwritten'])
  expect(await world.house.stored.find(ACCOUNT, 'resp_1')).toMatchObject({ backend: 'north' })
})

test('nobody’s answer is nobody’s', async () => {
  const { world, call, keep } = begin()
  await using _ = world
  call.accountId = null
  await keep('resp_1', [])
  expect(world.store.tables.stored.size).toBe(0)
})
