import { expect, test } from 'bun:test'
import { ask } from '../../../support/ask.ts'
import { MODEL } from '../../../support/house.ts'
import { completion } from '../../../support/sse.ts'
import { adminWorld, refusal } from './support.ts'

const REST = {
  id: 'north',
  url: 'https://north.example/v1',
  provider: 'acme',
  ownership: null,
  region: null,
  dialects: ['openai'],
  enabled: true,
  slots: 2,
  slots_busy: 0,
  slots_free: 2,
  waiters: 0,
  connections_open: 0,
  connections_idle: 0,
  path: null,
  health: 'in',
  quarantine: null,
  observed: null,
  models: [MODEL],
}

test('200: every backend of the catalogue, also one that was never used; never a secret', async () => {
  await using world = adminWorld({ backends: { north: {}, off: { enabled: false } } })
  const { status, body } = await world.call('GET', '/backends')
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      data: [REST, { ...REST, id: 'off', url: 'https://off.example/v1', enabled: false }],
      has_more: false,
      next: null,
    },
  })
  expect(JSON.stringify(body)).not.toContain('sk-provider')
})

test('200: how it is doing now', async () => {
  await using world = adminWorld()
  const { answer } = ask(world)
  const exchange = await world.agent('north').next()
  expect((await world.call('GET', '/backends/north')).body).toMatchObject({ slots: 2, slots_busy: 1, slots_free: 1 })
  exchange.play(completion('ok', 1, 1))
  await (await answer).text()
  await world.call('PUT', '/quarantine/north', { reason: 'a flood' })
  expect((await world.call('GET', '/backends/north')).body).toMatchObject({
    slots_busy: 0,
    slots_free: 2,
    quarantine: { cause: 'operator', reason: 'a flood', by: 'local:7', until_ms: null },
  })
})

test('404: an unknown backend', async () => {
  await using world = adminWorld()
  expect(await world.call('GET', '/backends/nort')).toMatchObject(refusal(404, 'not_found', 'backend'))
})
