import { describe, expect, test } from 'bun:test'
import { runBatch } from '../../../src/pipeline/run-batch.ts'
import { createHouseDouble, type HouseSpec } from '../../support/house.ts'
import { json } from '../../support/script.ts'
import { askingFor, seedThings, thingOf } from './kept-kit.ts'
import { errorOf } from './support.ts'

const ASKED = { input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h' }

function begin(spec: HouseSpec = { balanceUsd: null }, fields: object = {}) {
  const world = createHouseDouble(spec)
  seedThings(world, thingOf({ id: 'file-1', kind: 'file', model: null }))
  const agent = world.agent('north')
  agent.plays(json({ id: 'batch_1', status: 'validating' }))
  const { arrival } = askingFor('batches', '/v1/batches', { method: 'POST', body: { ...ASKED, ...fields } })
  return { world, agent, run: () => runBatch(world.house, arrival) }
}

test('it is begun where its file is, byte for byte, and known from then on', async () => {
  const { world, agent, run } = begin()
  await using _ = world
  expect(await (await run()).json()).toEqual({ id: 'batch_1', status: 'validating' })
  expect(agent.exchanges[0]?.sentJson).toEqual(ASKED)
  expect([...world.store.tables.stored.values()].at(-1)).toMatchObject({
    id: 'batch_1',
    kind: 'batch',
    backend: 'north',
  })
})

describe('what nothing here could meter', () => {
  const unmetered = { balanceUsd: null }
  const budgets = { total: null, day: 1, week: null, month: null }
  test.each([
    ['an account that pays before', {}],
    ['a key with models', { ...unmetered, models: ['acme/m'] }],
    ['a key with a budget', { ...unmetered, terms: { budgets } }],
  ])('%s', async (_name, spec) => {
    const { world, agent, run } = begin(spec as HouseSpec)
    await using _ = world
    expect(await errorOf(await run())).toMatchObject({ status: 403, error: { code: 'not_metered' } })
    expect(agent.exchanges).toHaveLength(0)
  })
})

describe('what it must say', () => {
  test.each([
    [{ input_file_id: undefined }, 'input_file_id'],
    [{ input_file_id: 'file-2' }, 'input_file_id'],
    [{ endpoint: 7 }, 'endpoint'],
    [{ completion_window: null }, 'completion_window'],
  ])('%p', async (fields, param) => {
    const { world, run } = begin({ balanceUsd: null }, fields)
    await using _ = world
    expect(await errorOf(await run())).toMatchObject({ status: 400, error: { param } })
  })
})

test('a provider that does not say what it keeps it as has not begun it', async () => {
  const { world, agent, run } = begin()
  await using _ = world
  agent.plays(json({ ok: true }))
  expect(await errorOf(await run())).toMatchObject({ status: 502 })
})
