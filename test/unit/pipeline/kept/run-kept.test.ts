import { describe, expect, test } from 'bun:test'
import { runKept } from '../../../../src/pipeline/kept/run-kept.ts'
import { ACCOUNT, createHouseDouble, MODEL } from '../../../support/house.ts'
import { json, status } from '../../../support/script.ts'
import { askingFor, seedThings, thingOf } from '../kept-kit.ts'
import { errorOf, recordOf, timingOf } from '../support.ts'

const SHOW = { kind: 'response', id: 'resp_1', method: 'GET', target: '/responses/resp_1', answer: 'document' } as const

function begin(fields: Parameters<typeof thingOf>[0] = {}) {
  const world = createHouseDouble()
  seedThings(world, thingOf(fields))
  return { world, agent: world.agent('north'), ...askingFor('responses.show', '/v1/responses/resp_1') }
}

test('it asks the keeper, and has its time and its record, but no money', async () => {
  const { world, agent, arrival } = begin()
  await using _ = world
  agent.plays(json({ id: 'resp_1', model: 'provider' }))
  const answer = await runKept(world.house, arrival, SHOW)
  expect(await answer.json()).toEqual({ id: 'resp_1', model: MODEL })
  expect(timingOf(answer).has('upstream')).toBe(true)
  expect(await recordOf(world)).toMatchObject({
    operation: 'responses.show',
    status: 200,
    backend: 'north',
    accountId: ACCOUNT,
  })
  expect(world.store.tables.settlements.size).toBe(0)
})

describe('404 for what the account has not', () => {
  test.each([
    ['of another account', { accountId: 'acc_other' }],
    ['of another kind', { kind: 'item' } as const],
    ['of another id', { id: 'resp_2' }],
  ])('%s', async (_name, fields) => {
    const { world, agent, arrival } = begin(fields)
    await using _ = world
    const answer = await runKept(world.house, arrival, SHOW)
    expect(await errorOf(answer)).toMatchObject({ status: 404, error: { code: 'not_stored' } })
    expect(agent.exchanges).toHaveLength(0)
  })
})

test('what is told of it is kept, and what is deleted is forgotten; a refusal changes nothing', async () => {
  const { world, agent, arrival } = begin({ kind: 'file', id: 'file-1', model: null })
  await using _ = world
  const operation = { ...SHOW, kind: 'file', id: 'file-1' } as const
  const row = () => world.store.tables.stored.get(`${ACCOUNT} file-1`)
  const again = () => askingFor('files.show', '/v1/files/file-1').arrival
  agent.plays(json({ id: 'file-1', status: 'processed' }))
  await runKept(world.house, arrival, { ...operation, effect: 'told' })
  expect(row()).toMatchObject({ told: { status: 'processed' }, createdAtMs: 1 })
  agent.plays(status(409, 'in use'))
  await runKept(world.house, again(), { ...operation, method: 'DELETE', effect: 'forget' })
  expect(row()).toBeDefined()
  agent.plays(json({ id: 'file-1', deleted: true }))
  await runKept(world.house, again(), { ...operation, method: 'DELETE', effect: 'forget' })
  expect(row()).toBeUndefined()
})

test('an answer that was under way does not bring back what was deleted meanwhile', async () => {
  const { world, agent, arrival } = begin({ kind: 'file', id: 'file-1', model: null })
  await using _ = world
  const operation = { ...SHOW, kind: 'file', id: 'file-1' } as const
  const showing = runKept(world.house, arrival, { ...operation, effect: 'told' })
  const shown = await agent.next()
  const deleting = runKept(world.house, askingFor('files.delete', '/v1/files/file-1').arrival, {
    ...operation,
    method: 'DELETE',
    effect: 'forget',
  })
  const deleted = await agent.next()
  deleted.play(json({ id: 'file-1', deleted: true }))
  expect((await deleting).status).toBe(200)
  shown.play(json({ id: 'file-1', status: 'processed' }))
  expect((await showing).status).toBe(200)
  expect(world.store.tables.stored.size).toBe(0)
})

test('a deletion that is answered with nothing is one', async () => {
  const { world, agent, arrival } = begin({ kind: 'file', id: 'file-1', model: null })
  await using _ = world
  agent.plays(status(204, ''))
  const operation = { ...SHOW, kind: 'file', id: 'file-1', method: 'DELETE', effect: 'forget' } as const
  const answer = await runKept(world.house, arrival, operation)
  expect(await answer.json()).toEqual({ id: 'file-1', object: 'file', deleted: true })
  expect(world.store.tables.stored.has(`${ACCOUNT} file-1`)).toBe(false)
})

test('what its provider has no more is forgotten by who wants it deleted, and by nobody else', async () => {
  const { world, agent, arrival } = begin({ kind: 'file', id: 'file-1', model: null })
  await using _ = world
  const operation = { ...SHOW, kind: 'file', id: 'file-1' } as const
  const isKnown = () => world.store.tables.stored.has(`${ACCOUNT} file-1`)
  const gone = { error: { message: 'No such File object: file-1' } }
  agent.plays(status(404, gone))
  const shown = await errorOf(await runKept(world.house, arrival, operation))
  expect([shown.status, isKnown()]).toEqual([404, true])
  agent.plays(status(404, gone))
  const again = askingFor('files.delete', '/v1/files/file-1').arrival
  const deleted = await runKept(world.house, again, { ...operation, method: 'DELETE', effect: 'forget' })
  expect(await errorOf(deleted)).toMatchObject({ status: 404, error: { code: null } })
  expect(isKnown()).toBe(false)
})

test('a batch brings the files that it made', async () => {
  const { world, agent, arrival } = begin({ kind: 'batch', id: 'batch_1', model: null })
  await using _ = world
  agent.plays(json({ id: 'batch_1', status: 'completed', output_file_id: 'out', error_file_id: 'err' }))
  await runKept(world.house, arrival, { ...SHOW, kind: 'batch', id: 'batch_1', effect: 'told' })
  const files = [...world.store.tables.stored.values()].filter(({ kind }) => kind === 'file')
  expect(files.map(({ id, backend }) => [id, backend])).toEqual([
    ['out', 'north'],
    ['err', 'north'],
  ])
})

test('a disk that does not forget costs nobody the answer', async () => {
  const { world, agent, arrival } = begin()
  await using _ = world
  agent.plays(json({ id: 'resp_1', deleted: true }))
  world.store.disk.fail()
  const answer = await runKept(world.house, arrival, { ...SHOW, method: 'DELETE', effect: 'forget' })
  expect(answer.status).toBe(200)
  expect(world.logs.map(({ event }) => event)).toContain('stored_unwritten')
})

test('an error with a good status is none, and forgets nothing; a response that failed tells its own', async () => {
  const { world, agent, arrival } = begin()
  await using _ = world
  agent.plays(json({ error: { message: 'upset', code: 'server_error' } }))
  const answer = await runKept(world.house, arrival, { ...SHOW, method: 'DELETE', effect: 'forget' })
  expect(await errorOf(answer)).toMatchObject({ status: 502, error: { code: 'provider_failed' } })
  expect(world.store.tables.stored.get(`${ACCOUNT} resp_1`)).toBeDefined()
  agent.plays(json({ id: 'resp_1', status: 'failed', error: { code: 'server_error', message: 'upset' } }))
  const again = askingFor('responses.show', '/v1/responses/resp_1').arrival
  expect(await (await runKept(world.house, again, SHOW)).json()).toMatchObject({ id: 'resp_1', status: 'failed' })
})

test('what is no document is no answer', async () => {
  const { world, agent, arrival } = begin()
  await using _ = world
  agent.plays(status(200, 'hello'))
  expect(await errorOf(await runKept(world.house, arrival, SHOW))).toMatchObject({ status: 502 })
})
