import { expect, test } from 'bun:test'
import { bearer, startGateway } from '../support/gateway.ts'
import { rawClient, rawRequest } from '../support/raw-client.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { balanceOf, CHAT_PATH, chat, HELLO, recordOf, settlementOf, timingOf } from '../support/wire-chat.ts'

test('a plain request is answered, timed, and charged by its reported usage', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(completion('Hello back', 10, 5, { x_mock: { kept: 1.0 } }))
  const answer = chat(gateway)
  const head = await answer.head()
  expect(head.status).toBe(200)
  expect(head.header('content-type')).toBe('application/json')
  expect(head.header('x-request-id')).toMatch(/^req_/)
  const body = JSON.parse(await answer.text())
  expect(body.model).toBe('m1')
  expect(body.choices[0].message.content).toBe('Hello back')
  expect(body.x_mock).toEqual({ kept: 1 })
  const timing = timingOf(head)
  expect([...timing.keys()].slice(0, 8)).toEqual([
    'gw',
    'gw-recv',
    'gw-auth',
    'gw-ctx',
    'gw-prep',
    'gw-route',
    'gw-hold',
    'gw-wait',
  ])
  expect(head.header('server-timing')).toMatch(/desc="b0 new connect=\d+\.\d\d write=\d+\.\d\d first-byte=\d+\.\d\d"/)
  expect(await settlementOf(gateway)).toMatchObject({
    end: 'settled',
    reason: 'completed',
    usage_source: 'reported',
    charged_nano: 10 * 4000 + 5 * 10_000,
  })
  expect(await balanceOf(gateway)).toBe(1_000_000_000 - 90_000)
})

test('only the model is changed on the way: every other byte reaches the provider', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(completion('ok', 1, 1))
  const sent =
    '{ "temperature" : 1.0, "seed":12345678901234567890, "x":1e2,\n "model":"m1", "messages":[{"role":"user","content":"\\u00e9 é 💡"}],"max_tokens":16, "unknown":{"a":[null,true]},"dup":1,"dup":2 }'
  const answer = rawRequest(gateway.origin, { path: CHAT_PATH, headers: bearer(gateway), body: sent })
  expect(await answer.status()).toBe(200)
  const request = await provider.arrived()
  expect(request.body.toString()).toBe(sent.replace('"m1"', '"provider-m1"'))
  expect(request.target).toBe('/v1/chat/completions')
  expect(request.header('authorization')).toBe('Bearer sk-provider-canary-0123456789')
  expect(request.raw.toString()).not.toContain(gateway.key)
})

test('200 requests in turn open one connection to the provider', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(completion('ok', 1, 1))
  await using client = rawClient(gateway.origin)
  for (let n = 0; n < 200; n++) {
    const answer = client.send({
      path: CHAT_PATH,
      headers: bearer(gateway),
      json: { model: 'm1', messages: HELLO, max_tokens: 1 },
    })
    expect(await answer.status()).toBe(200)
    await answer.text()
  }
  expect(provider.connections).toBe(1)
  expect(provider.requests.length).toBe(200)
})

test('the record tells of the request, its attempt and its time, and follows its settlement', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(completion('ok', 3, 2))
  const answer = chat(gateway, {}, { ...bearer(gateway), 'x-request-id': 'mine-1' })
  const head = await answer.head()
  await answer.text()
  const record = await recordOf(gateway, head)
  expect(record).toMatchObject({
    request_id: head.header('x-request-id'),
    client_request_id: 'mine-1',
    model: 'm1',
    backend: 'b0',
    status: 200,
    stream: false,
  })
  expect(record.attempts).toMatchObject([{ number: 1, backend: 'b0', outcome: 'succeeded' }])
  expect(record.timing.gw_us + record.timing.upstream_us + record.timing.post_us).toBe(record.timing.total_us)
  expect(record.settlement).toMatchObject({ charged_nano: 3 * 4000 + 2 * 10_000 })
})
