import { describe, expect, test } from 'bun:test'
import { runKeptList } from '../../../../src/pipeline/kept/run-kept-list.ts'
import { ACCOUNT, createHouseDouble } from '../../../support/house.ts'
import { json, status } from '../../../support/script.ts'
import { askingFor, seedThings, thingOf } from '../kept-kit.ts'
import { errorOf } from '../support.ts'

const LISTING = {
  kind: 'batch',
  urlOf: ({ url }: Request) => new URL(url),
  pathOf: (id: string) => `/batches/${id}`,
  isOpen: ({ status: said }: Readonly<Record<string, unknown>>) => said === 'open',
} as const

function begin(query = '', ...told: readonly (object | null)[]) {
  const world = createHouseDouble()
  const things = told.map((said, at) =>
    thingOf({
      id: `b${at}`,
      kind: 'batch',
      model: null,
      createdAtMs: 1000 * at,
      told: said === null ? null : { id: `b${at}`, ...said },
    }),
  )
  seedThings(world, ...things)
  const list = async () =>
    Object(
      await (await runKeptList(world.house, askingFor('batches.list', `/v1/batches${query}`).arrival, LISTING)).json(),
    )
  return { world, agent: world.agent('north'), list, query }
}

test('the newest first, from what is known; nobody is asked', async () => {
  const { world, agent, list } = begin('', { status: 'done' }, { status: 'failed' })
  await using _ = world
  expect(await list()).toEqual({
    object: 'list',
    data: [
      { id: 'b1', status: 'failed' },
      { id: 'b0', status: 'done' },
    ],
    first_id: 'b1',
    last_id: 'b0',
    has_more: false,
  })
  expect(agent.exchanges).toHaveLength(0)
})

test('what may have changed is asked for, and known then; so is what may not be kept', async () => {
  const { world, agent, list } = begin('?order=asc', { status: 'open' }, null)
  await using _ = world
  agent.plays(json({ id: 'b0', status: 'done', output_file_id: 'out' }))
  expect((await list()).data).toHaveLength(2)
  expect(agent.exchanges.map(({ request }) => request.target.slice(-3))).toEqual(['/b0', '/b1'])
  expect(world.store.tables.stored.get(`${ACCOUNT} b0`)).toMatchObject({ told: { status: 'done' }, createdAtMs: 0 })
  expect(world.store.tables.stored.get(`${ACCOUNT} out`)).toMatchObject({ kind: 'file', backend: 'north' })
})

describe('a keeper that does not answer costs the list nothing', () => {
  test.each([
    ['an error', status(500, 'down')],
    ['no document', status(200, 'hello')],
  ])('%s', async (_name, answer) => {
    const { world, agent, list } = begin('?order=asc', { status: 'open' }, null)
    await using _ = world
    agent.plays(answer)
    expect((await list()).data).toEqual([
      { id: 'b0', status: 'open' },
      { id: 'b1', object: 'batch', created_at: 1 },
    ])
  })
})

test('pages end where they are told to', async () => {
  const { world, list } = begin('?limit=1&after=b2', { n: 0 }, { n: 1 }, { n: 2 })
  await using _ = world
  expect(await list()).toMatchObject({ data: [{ n: 1 }], has_more: true })
})

describe('a query that cannot be meant', () => {
  test.each([
    ['?limit=0', 'limit'],
    ['?limit=x', 'limit'],
    ['?order=up', 'order'],
  ])('%s', async (query, param) => {
    const { world } = begin(query)
    await using _ = world
    const { arrival } = askingFor('batches.list', `/v1/batches${query}`)
    expect(await errorOf(await runKeptList(world.house, arrival, LISTING))).toMatchObject({
      status: 400,
      error: { param },
    })
  })
})
