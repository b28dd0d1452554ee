import { expect, test } from 'bun:test'
import { bearer, startGateway } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { CHAT_PATH, chat, errorOf, timingOf } from '../support/wire-chat.ts'

const BAD: readonly [name: string, body: string, code: string, param: string | null, words: string][] = [
  ['cut JSON', '{"model":"m1","messages":[', 'invalid_json', null, 'line 1'],
  ['a trailing comma', '{"model":"m1",\n"messages":[],}', 'invalid_json', null, 'line 2'],
  ['no body', '', 'invalid_json', null, ''],
  ['an array', '[1]', 'invalid_request', null, 'object'],
  ['a string', '"x"', 'invalid_request', null, 'object'],
  ['no model', '{"messages":[{"role":"user","content":"x"}]}', 'invalid_request', 'model', 'model'],
  [
    'a model that is no string',
    '{"model":1,"messages":[{"role":"user","content":"x"}]}',
    'invalid_request',
    'model',
    'model',
  ],
  ['no messages', '{"model":"m1"}', 'invalid_request', 'messages', 'messages'],
  ['empty messages', '{"model":"m1","messages":[]}', 'invalid_request', 'messages', 'messages'],
  [
    'a model given twice',
    '{"model":"m1","model":"m2","messages":[{"role":"user","content":"x"}]}',
    'duplicate_field',
    'model',
    'model',
  ],
]

test('what cannot be understood is 400 with position or field, and nothing is sent or written', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  for (const [name, body, code, param, words] of BAD) {
    const error = await errorOf(rawRequest(gateway.origin, { path: CHAT_PATH, headers: bearer(gateway), body }))
    expect({ name, status: error.status, code: error.code, param: error.param }).toEqual({
      name,
      status: 400,
      code,
      param,
    })
    expect(error.message).toContain(words)
    expect(timingOf(error.head).has('gw-prep')).toBe(true)
  }
  expect(provider.connections).toBe(0)
  expect((await gateway.admin('GET', '/ledger/settlements')).body.data).toEqual([])
})

test('odd but legal fields pass: the provider judges them', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(completion('ok', 1, 1))
  for (const fields of [
    { stream: null },
    { n: 0 },
    { tools: [] },
    { stop: null },
    { temperature: 'hot' },
    { unknown_field: { deep: [1] } },
  ]) {
    expect(await chat(gateway, fields).status()).toBe(200)
  }
  expect(provider.requests.map((request) => Object.keys(request.json() as object).length)).toEqual([4, 4, 4, 4, 4, 4])
})
