import { expect, test } from 'bun:test'
import { bearer, startGateway } from '../support/gateway.ts'
import { reset, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, finish, role, sse, text, usage } from '../support/sse.ts'
import { apiChat } from '../support/wire-api-v1.ts'
import { chat } from '../support/wire-chat.ts'

const WANTED = { 'x-openrouter-metadata': 'enabled' }

test('`x-openrouter-metadata: enabled` tells how a request was routed: plain, as a stream, and where nobody served', async () => {
  await using bad = await scriptedProvider()
  await using good = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [{ provider: bad }, { provider: good }], m2: [{ provider: good, backend: { enabled: false } }] },
  })
  const headers = { ...bearer(gateway), ...WANTED }
  const told = {
    requested: 'm1',
    strategy: 'direct',
    attempt: 2,
    is_byok: false,
    endpoints: {
      total: 2,
      available: [
        { provider: 'mock', model: 'm1', selected: false },
        { provider: 'mock', model: 'm1', selected: true },
      ],
    },
    attempts: [
      { provider: 'mock', model: 'm1', status: 500 },
      { provider: 'mock', model: 'm1', status: 200 },
    ],
  }
  bad.script(status(500), status(500))
  good.script(completion('fine', 1, 1), sse(role(), text('a'), finish(), usage(1, 1), done()), completion('fine', 1, 1))
  const plain = JSON.parse(await apiChat(gateway, {}, headers).text())
  expect(plain.openrouter_metadata).toMatchObject(told)
  expect(plain.usage.total_tokens).toBe(2)
  const events = (await apiChat(gateway, { stream: true }, headers).text()).split('\n\n')
  const chunks = events.flatMap((event) => (event.startsWith('data: {') ? [JSON.parse(event.slice(6))] : []))
  expect(chunks.at(-1).openrouter_metadata).toMatchObject(told)
  expect(chunks.filter((chunk) => chunk.openrouter_metadata !== undefined)).toHaveLength(1)
  const routed = JSON.parse(
    await apiChat(gateway, { model: 'anyrouter/auto', provider: { only: ['b1'] } }, headers).text(),
  )
  expect(routed.openrouter_metadata).toMatchObject({ requested: 'anyrouter/auto', strategy: 'auto', attempt: 1 })

  const refused = JSON.parse(await apiChat(gateway, { model: 'm2' }, headers).text())
  expect(refused.openrouter_metadata).toMatchObject({
    requested: 'm2',
    attempt: 0,
    attempts: [],
    endpoints: { total: 1 },
  })
  expect(refused.error.availability).toMatchObject({
    code: 'temporarily_unavailable',
    requested_models: ['m2'],
    affected_providers: ['b2'],
    excluded_by: [],
  })
})

test('who does not ask, and who asks on /v1, gets none of it', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(completion('fine', 1, 1), completion('fine', 1, 1))
  expect(await apiChat(gateway).text()).not.toContain('openrouter_metadata')
  expect(await chat(gateway, {}, { ...bearer(gateway), ...WANTED }).text()).not.toContain('openrouter_metadata')
})

test('a wish that nobody keeps is a constraint, with the word for it', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  const { error } = JSON.parse(await apiChat(gateway, { models: ['gone'], provider: { zdr: true } }).text())
  expect(error.availability).toMatchObject({
    code: 'privacy_restricted',
    retryable: false,
    retry_after: null,
    requested_models: ['m1', 'gone'],
    fallback_models: ['gone'],
    excluded_by: ['data_policy:zdr'],
    constraint: { field: 'data_policy:zdr' },
  })
})

test('hidden backends stay hidden', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [{ provider, id: 'secret-one', of: { id: 'secret-owner' }, backend: { region: 'secret-land' } }] },
    yaml: { replies: { hide_backends: true } },
  })
  provider.script(
    completion('fine', 1, 1),
    sse(role(), text('a'), finish(), usage(1, 1), done()),
    sse(role(), text('b'), reset()),
    status(500),
  )
  const headers = { ...bearer(gateway), ...WANTED }
  const answer = await apiChat(gateway, {}, headers).text()
  expect(JSON.parse(answer)).toMatchObject({ provider: 'anyrouter', openrouter_metadata: {} })
  const streams = [
    await apiChat(gateway, { stream: true }, headers).text(),
    await apiChat(gateway, { stream: true }, headers).text(),
  ]
  expect(streams[1]).toContain('stream_broken')
  expect(answer + streams.join('')).not.toContain('secret-')
  expect(await apiChat(gateway, {}, headers).text()).not.toContain('secret-')
})
