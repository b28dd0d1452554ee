import { describe, expect, test } from 'bun:test'
import { runBatch } from '../../../../src/pipeline/kept/run-batch.ts'
import { createHouseDouble, type HouseSpec } from '../../../support/house.ts'
import { json, type Part, status } from '../../../support/script.ts'
import { askingFor, seedThings, thingOf } from '../kept-kit.ts'
import { errorOf } from '../support.ts'

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

describe('what may have begun', () => {
  const shouldRetry = async (spec: HouseSpec, part: Part) => {
    const { world, agent, run } = begin({ balanceUsd: null, ...spec })
    await using _ = world
    agent.plays(part)
    return (await run()).headers.get('x-should-retry')
  }

  test('is not to be sent again: it would be worked on, and billed, twice', async () => {
    for (const part of [status(500), status(503), json({ ok: true })]) expect(await shouldRetry({}, part)).toBe('false')
  })

  test('but where the operator says so, and what surely has not begun', async () => {
    expect(await shouldRetry({ replies: { noRetryAfterSend: false } }, status(500))).toBe('true')
    expect(await shouldRetry({}, status(429))).toBe('true')
    const { world, agent, run } = begin()
    await using _ = world
    agent.plays()
    const asked = run()
    ;(await agent.next()).unsent()
    expect((await asked).headers.get('x-should-retry')).toBe('true')
  })
})
