import { expect, test } from 'bun:test'
import { adminWorld, refusal } from './support.ts'

const BACKENDS = { north: {}, south: {} }

test('200: an operator takes a backend out, for a time, and lets it in again', async () => {
  await using world = adminWorld({ backends: BACKENDS })
  const nowMs = world.clock.wallMs()
  expect((await world.call('GET', '/quarantine')).body).toEqual({ data: [], has_more: false, next: null })
  const set = await world.call('PUT', '/quarantine/north', { reason: 'a flood', for_ms: 600_000 })
  const why = {
    cause: 'operator',
    reason: 'a flood',
    by: 'local:7',
    since_ms: nowMs,
    until_ms: nowMs + 600_000,
  }
  const nothing = { credential: null, account: null, source: null, backoff_ms: null }
  const causes = [{ ...why, ...nothing, count: null, streak: null, last_status: null }]
  const row = { backend: 'north', configured: true, state: 'out', ...why, causes }
  expect(set).toMatchObject({ status: 200, body: row })
  expect((await world.call('GET', '/quarantine')).body.data).toEqual([row])
  const plan = (await world.call('POST', '/route', { model: 'm' })).body
  expect(plan.candidates.map(({ backend }: { backend: string }) => backend)).toEqual(['south'])
  expect(plan.skips).toMatchObject([
    { backend: 'north', rule: 'quarantined', evidence: expect.stringContaining('local:7') },
  ])

  const cleared = await world.call('DELETE', '/quarantine/north')
  expect(cleared).toMatchObject({ status: 200, body: { backend: 'north', cleared: true } })
  expect((await world.call('GET', '/quarantine')).body.data).toEqual([])
  expect((await world.call('POST', '/route', { model: 'm' })).body.skips).toEqual([])
})

test('without a time it lasts until it is cleared; with one it ends by itself', async () => {
  await using world = adminWorld({ backends: BACKENDS })
  await world.call('PUT', '/quarantine/south', { reason: 'moved' })
  await world.call('PUT', '/quarantine/north', { reason: 'a flood', for_ms: 1000 })
  const listed = async () =>
    (await world.call('GET', '/quarantine')).body.data.map(({ backend }: { backend: string }) => backend)
  expect(await listed()).toEqual(['north', 'south'])
  world.clock.advance(1000)
  expect(await listed()).toEqual(['south'])
  expect(await world.call('DELETE', '/quarantine/north')).toMatchObject(refusal(404, 'not_found', 'backend'))
})

test.each([
  ['no reason', {}, 'reason'],
  ['an empty reason', { reason: '' }, 'reason'],
  ['a reason that shows nothing', { reason: ' \t ' }, 'reason'],
  ['a reason with a line break', { reason: 'a\nb' }, 'reason'],
  ['a reason without end', { reason: 'x'.repeat(501) }, 'reason'],
  ['no time at all', { reason: 'a', for_ms: 0 }, 'for_ms'],
  ['a time that goes back', { reason: 'a', for_ms: -5 }, 'for_ms'],
  ['half a ms', { reason: 'a', for_ms: 1.5 }, 'for_ms'],
  ['a time as text', { reason: 'a', for_ms: '10m' }, 'for_ms'],
  ['more than ten years', { reason: 'a', for_ms: 1e15 }, 'for_ms'],
  ['an author of the caller', { reason: 'a', by: 'somebody' }, 'by'],
])('400: %s', async (_what, body, param) => {
  await using world = adminWorld({ backends: BACKENDS })
  expect(await world.call('PUT', '/quarantine/north', body)).toMatchObject(refusal(400, 'invalid_request', param))
  expect(world.store.tables.quarantine.size).toBe(0)
})

test('404: unknown backends, with the nearest name; 405: what a path does not do', async () => {
  await using world = adminWorld({ backends: BACKENDS })
  const answer = await world.call('PUT', '/quarantine/nort', { reason: 'a' })
  expect(answer).toMatchObject(refusal(404, 'not_found', 'backend'))
  expect(answer.body.error.message).toContain("Did you mean 'north'?")
  expect(await world.call('DELETE', '/quarantine/nort')).toMatchObject(refusal(404, 'not_found', 'backend'))
  const wrong = await world.call('POST', '/quarantine/north', { reason: 'a' })
  expect(wrong).toMatchObject(refusal(405, 'method_not_allowed'))
  expect(wrong.headers.get('allow')).toBe('DELETE, PUT')
})
