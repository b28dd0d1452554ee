import { describe, expect, test } from 'bun:test'
import { runUpload } from '../../../../src/pipeline/kept/run-upload.ts'
import { createHouseDouble } from '../../../support/house.ts'
import { json, status } from '../../../support/script.ts'
import { askingFor } from '../kept-kit.ts'
import { errorOf } from '../support.ts'

function formOf(fields: Readonly<Record<string, string | File>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}
const FILE = new File(['abc'], 'a.jsonl')

async function send(fields: Parameters<typeof formOf>[0], answer = json({ id: 'file-1', filename: 'a.jsonl' })) {
  const world = createHouseDouble()
  const agent = world.agent('north')
  agent.plays(answer)
  const made = new Request('http://gw', { method: 'POST', body: formOf(fields) })
  const headers = { 'content-type': made.headers.get('content-type') ?? '' }
  const { arrival } = askingFor('files', '/v1/files', { method: 'POST', body: await made.text(), headers })
  return { world, agent, answer: await runUpload(world.house, arrival) }
}

test('a file goes to a backend as it came, and is known then', async () => {
  const { world, agent, answer } = await send({ purpose: 'batch', file: FILE })
  await using _ = world
  expect(await answer.json()).toEqual({ id: 'file-1', filename: 'a.jsonl' })
  const [exchange] = agent.exchanges
  expect(exchange?.request.target).toEndWith('/files')
  expect(Buffer.from(exchange?.request.body ?? []).toString()).toContain('abc')
  expect([...world.store.tables.stored.values()]).toMatchObject([
    { id: 'file-1', kind: 'file', backend: 'north', told: { filename: 'a.jsonl' } },
  ])
})

describe('what is missing is told before anything is sent', () => {
  test.each([
    ['the file', { purpose: 'batch' }, 'file'],
    ['what it is for', { file: FILE }, 'purpose'],
  ])('%s', async (_name, fields, param) => {
    const { world, agent, answer } = await send(fields)
    await using _ = world
    expect(await errorOf(answer)).toMatchObject({ status: 400, error: { param } })
    expect(agent.exchanges).toHaveLength(0)
  })
})

describe('what the provider says in place of a file', () => {
  test.each([
    ['it has no such thing', status(404, { error: { message: 'Not Found' } }), 404],
    ['it fails', status(500, 'down'), 502],
    ['no id', json({ ok: true }), 502],
  ])('%s', async (_name, script, wanted) => {
    const { world, answer } = await send({ purpose: 'batch', file: FILE }, script)
    await using _ = world
    expect(await errorOf(answer)).toMatchObject({ status: wanted })
    expect(world.store.tables.stored.size).toBe(0)
  })
})
