import { expect, test } from 'bun:test'
import { bearer, startGateway } from '../support/gateway.ts'
import { json, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, finish, role, sse, text } from '../support/sse.ts'
import { chat, errorOf } from '../support/wire-chat.ts'

const shown = (value: string | null) => JSON.parse(value ?? 'null')

test('`x-anyrouter-explain: 1` tells of the plan, the skips and the attempts; evidence to a management key alone', async () => {
  await using bad = await scriptedProvider()
  await using good = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [{ provider: bad }, { provider: good }, { provider: good, id: 'out' }] },
  })
  bad.script(status(500))
  good.script(completion('fine', 1, 1))
  const quarantine = await gateway.admin('PUT', '/quarantine/out', { for_ms: 60_000, reason: 'Ann said so' })
  expect(quarantine.status).toBe(200)
  const ask = { ...bearer(gateway), 'x-anyrouter-explain': '1' }
  const told = shown((await chat(gateway, {}, ask).head()).header('x-anyrouter-explain'))
  expect(told).toMatchObject({
    model: 'm1',
    plan: [{ backend: 'b0' }, { backend: 'b1' }],
    skips: [{ backend: 'out', rule: 'quarantined', reason: 'the backend is quarantined' }],
    attempts: [
      { backend: 'b0', outcome: 'failed', status: 500, connection: 'new' },
      { backend: 'b1', outcome: 'succeeded', status: 200 },
    ],
  })
  expect(JSON.stringify(told)).not.toContain('Ann')

  const ops = await gateway.admin('POST', '/management-keys', { name: 'ops', scopes: ['read'] })
  const more = shown(
    (await chat(gateway, {}, { ...ask, 'x-api-key': ops.body.secret }).head()).header('x-anyrouter-explain'),
  )
  expect(more.skips[0].evidence).toContain('Ann said so')
  expect(more.attempts[0].credential).toBe('main')
  expect((await chat(gateway).head()).header('x-anyrouter-explain')).toBeNull()
})

test('hidden backends are in no header, list or explanation', async () => {
  await using bad = await scriptedProvider()
  await using good = await scriptedProvider()
  await using gateway = await startGateway({
    offers: {
      m1: [
        { provider: bad, id: 'secret-one' },
        { provider: good, id: 'secret-two' },
      ],
    },
    yaml: { replies: { hide_backends: true } },
  })
  const ask = { ...bearer(gateway), 'x-anyrouter-explain': '1' }
  bad.script(json(500, {}))
  good.script(completion('fine', 1, 1), sse(role(), text('a'), finish(), done()), status(500))
  for (const stream of [false, true]) {
    const answer = chat(gateway, { stream }, ask)
    const head = await answer.head()
    expect(head.status).toBe(200)
    expect(head.header('server-timing')).toContain('upstream-2;dur=')
    const [first] = JSON.parse(head.header('x-anyrouter-explain') ?? '').plan
    expect(first).toEqual({ model: 'm1' })
    expect(JSON.stringify(head) + (await answer.text())).not.toContain('secret-')
  }
  const error = await errorOf(chat(gateway, {}, ask))
  expect(error).toMatchObject({ code: 'provider_failed', attempts: [{ outcome: 'failed' }, { outcome: 'failed' }] })
  expect(JSON.stringify(error)).not.toContain('secret-')
})
