import { describe, expect, test } from 'bun:test'
import { runKept } from '../../../../src/pipeline/kept/run-kept.ts'
import { createHouseDouble, MODEL } from '../../../support/house.ts'
import { end, reset, send } from '../../../support/script.ts'
import { askingFor, seedThings, thingOf } from '../kept-kit.ts'
import { recordOf } from '../support.ts'

const EVENTS = { kind: 'response', id: 'resp_1', method: 'GET', target: '/responses/resp_1', answer: 'events' } as const
const FILE = { kind: 'file', id: 'file-1', method: 'GET', target: '/files/file-1/content', answer: 'bytes' } as const
const HEAD = { status: 200, headers: { 'content-type': 'text/event-stream' } }
const event = (value: object) => send(`data: ${JSON.stringify(value)}\n\n`)
const created = event({ type: 'response.created', sequence_number: 0, response: { id: 'resp_1', model: 'x' } })

function begin(fields: Parameters<typeof thingOf>[0] = {}) {
  const world = createHouseDouble()
  seedThings(world, thingOf(fields))
  return { world, agent: world.agent('north'), ...askingFor('responses.show', '/v1/responses/resp_1?stream=true') }
}

test('events go on with the model’s name, to their end', async () => {
  const { world, agent, arrival } = begin()
  await using _ = world
  agent.plays(
    HEAD,
    created,
    event({ type: 'response.completed', sequence_number: 1, response: { id: 'resp_1' } }),
    end(),
  )
  const answer = await runKept(world.house, arrival, EVENTS)
  expect(answer.headers.get('content-type')).toStartWith('text/event-stream')
  const text = await answer.text()
  expect(text).toContain(`"model":"${MODEL}"`)
  expect(text.match(/^event: .*$/gm)).toEqual(['event: response.created', 'event: response.completed'])
  expect(await recordOf(world)).toMatchObject({ status: 200, errorCode: null, stream: true })
})

test('events that end early are told so, numbers going on', async () => {
  const { world, agent, arrival } = begin()
  await using _ = world
  agent.plays(HEAD, created, end())
  const text = await (await runKept(world.house, arrival, EVENTS)).text()
  expect(text.match(/"sequence_number":\d/g)).toEqual([
    '"sequence_number":0',
    '"sequence_number":1',
    '"sequence_number":2',
  ])
  expect(text).toContain('event: response.failed')
  expect(await recordOf(world)).toMatchObject({ errorCode: 'stream_broken' })
})

test.each([
  ['cannot be passed on', 'aborted', send('data: {"type":\n\n')],
  ['break off', 'ended', reset()],
] as const)('events that %s: told so, the provider is left, the slot is free', async (_name, state, part) => {
  const { world, agent, arrival } = begin()
  await using _ = world
  const answering = runKept(world.house, arrival, EVENTS)
  const exchange = await agent.next()
  exchange.play(HEAD, created, part)
  expect(await (await answering).text()).toContain('event: response.failed')
  expect(exchange.state).toBe(state)
  expect(agent.stats().slotsTaken).toBe(0)
  expect(await recordOf(world)).toMatchObject({ errorCode: 'stream_broken' })
})

describe('the bytes of a file', () => {
  const file = { kind: 'file', id: 'file-1', model: null } as const

  test('go on as they come, under their own type', async () => {
    const { world, agent, arrival } = begin(file)
    await using _ = world
    agent.plays({ status: 200, headers: { 'content-type': 'text/csv' } }, send('a,'), send('b'), end())
    const answer = await runKept(world.house, arrival, FILE)
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['text/csv', 'a,b'])
  })

  test('are broken off where the provider breaks off', async () => {
    const { world, agent, arrival } = begin(file)
    await using _ = world
    const answering = runKept(world.house, arrival, FILE)
    const exchange = await agent.next()
    exchange.play({ status: 200, headers: {} }, send('a'))
    const reading = (await answering).text()
    exchange.fail('reset')
    world.clock.advance(1)
    await expect(reading).rejects.toThrow()
    expect(await recordOf(world)).toMatchObject({ errorCode: 'stream_broken' })
  })
})
