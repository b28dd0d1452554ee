import { expect, test } from 'bun:test'
import { endedInTurn } from '../support/ended-in-turn.ts'
import { bearer, type GatewaySpec, startGateway, type TestGateway } from '../support/gateway.ts'
import { status } from '../support/script.ts'
import { type ScriptedProvider, scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, finish, role, sse, text } from '../support/sse.ts'
import { chat, recordOf } from '../support/wire-chat.ts'

interface Places extends AsyncDisposable {
  readonly north: ScriptedProvider
  readonly south: ScriptedProvider
  readonly gateway: TestGateway
}

/** Two backends that offer `m1`, and answer everything with their names. */
async function placesOf(more: Partial<GatewaySpec> = {}): Promise<Places> {
  const north = await scriptedProvider()
  const south = await scriptedProvider()
  const gateway = await startGateway({
    offers: {
      m1: [
        { provider: north, id: 'north' },
        { provider: south, id: 'south' },
      ],
    },
    ...more,
  })
  north.script(completion('north', 1, 1))
  south.script(completion('south', 1, 1))
  return {
    north,
    south,
    gateway,
    ...endedInTurn(gateway, north, south),
  }
}

const EXPLAIN = { 'x-anyrouter-explain': '1' }

/** Who served, and what the explanation says of the session. */
async function ask(gateway: TestGateway, fields: object, headers: Readonly<Record<string, string>> = {}) {
  const answer = chat(gateway, fields, { ...bearer(gateway), ...EXPLAIN, ...headers })
  const body = JSON.parse(await answer.text())
  const head = await answer.head()
  expect(head.status).toBe(200)
  const { sticky } = JSON.parse(head.header('x-anyrouter-explain') ?? '{}')
  return { by: body.choices[0].message.content, sticky, head }
}

const out = (gateway: TestGateway, backend: string) =>
  gateway.admin('PUT', `/quarantine/${backend}`, { reason: 'a flood', for_ms: 600_000 })
const clear = (gateway: TestGateway, backend: string) => gateway.admin('DELETE', `/quarantine/${backend}`)

/** Sessions of this name, begun while only `south` was there. */
async function settleInSouth(gateway: TestGateway, session: object, headers: Readonly<Record<string, string>> = {}) {
  await out(gateway, 'north')
  expect(await ask(gateway, session, headers)).toMatchObject({ by: 'south', sticky: { kind: 'new' } })
  await clear(gateway, 'north')
}

test('a session stays with its backend, whatever it is called by, over a restart too', async () => {
  await using places = await placesOf()
  const { gateway } = places
  const names = [
    [{ session_id: 'by-body' }, {}],
    [{}, { 'x-session-id': 'by-head' }],
    [{ prompt_cache_key: 'by-key' }, {}],
  ] as const
  for (const [fields, headers] of names) await settleInSouth(gateway, fields, headers)
  for (let round = 0; round < 2; round++) {
    for (const [fields, headers] of names) {
      const { by, sticky, head } = await ask(gateway, fields, headers)
      expect({ by, sticky }).toEqual({ by: 'south', sticky: { kind: 'kept' } })
      expect((await recordOf(gateway, head)).stickiness).toEqual({ kind: 'kept' })
    }
    expect(await ask(gateway, {})).toMatchObject({ by: 'north', sticky: undefined })
    expect((await ask(gateway, { session_id: `other-${round}` })).by).toBe('north')
    if (round === 0) await gateway.restart()
  }
})

test('a session of the same name of another account is another one', async () => {
  await using places = await placesOf()
  const { gateway } = places
  await settleInSouth(gateway, { session_id: 's' })
  const account = await gateway.admin('POST', '/accounts', { name: 'other', kind: 'unmetered' })
  const key = await gateway.admin('POST', '/keys', { account: account.body.id, name: 'its' })
  expect(await ask(gateway, { session_id: 's' }, bearer({ key: key.body.secret }))).toMatchObject({
    by: 'north',
    sticky: { kind: 'new' },
  })
  expect((await ask(gateway, { session_id: 's' })).by).toBe('south')
})

test('it moves when its backend is out or fails, and says why; then it stays where it went', async () => {
  await using places = await placesOf()
  const { gateway, north, south } = places
  const session = { session_id: 's' }
  await settleInSouth(gateway, session)
  await out(gateway, 'south')
  const moved = { kind: 'moved', from: 'south', rule: 'quarantined', reason: 'the backend is quarantined' }
  const { by, sticky, head } = await ask(gateway, session)
  expect({ by, sticky }).toEqual({ by: 'north', sticky: moved })
  expect((await recordOf(gateway, head)).stickiness).toEqual(moved)
  await clear(gateway, 'south')
  expect(await ask(gateway, session)).toMatchObject({ by: 'north', sticky: { kind: 'kept' } })

  north.script(status(500))
  expect(await ask(gateway, session)).toMatchObject({
    by: 'south',
    sticky: { kind: 'moved', from: 'north', rule: 'attempt', reason: 'its attempt failed (status 500)' },
  })
  north.script(completion('north', 1, 1))
  south.script(completion('south', 1, 1))
  expect(await ask(gateway, session)).toMatchObject({ by: 'south', sticky: { kind: 'kept' } })
})

test('streams belong to sessions too; names of hidden backends are not told', async () => {
  await using places = await placesOf({ yaml: { replies: { hide_backends: true } } })
  const { gateway, north } = places
  await settleInSouth(gateway, { session_id: 's' })
  await out(gateway, 'south')
  north.script(sse(role(), text('north'), finish(), done()))
  const answer = chat(gateway, { stream: true, session_id: 's' }, { ...bearer(gateway), ...EXPLAIN })
  const told = JSON.parse((await answer.head()).header('x-anyrouter-explain') ?? '{}')
  expect(told.sticky).toEqual({ kind: 'moved', rule: 'quarantined', reason: 'the backend is quarantined' })
  await answer.text()
  await clear(gateway, 'south')
  north.script(completion('north', 1, 1))
  expect((await ask(gateway, { session_id: 's' })).by).toBe('north')
})

test('a life of 0 ms: nobody stays', async () => {
  await using places = await placesOf({ yaml: { sticky: { life_ms: 0 } } })
  const { gateway } = places
  await settleInSouth(gateway, { session_id: 's' })
  expect(await ask(gateway, { session_id: 's' })).toMatchObject({ by: 'north', sticky: { kind: 'new' } })
})
