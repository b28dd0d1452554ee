import { expect, test } from 'bun:test'
import { startGateway } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { gate, hang, script, silence, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, finish, role, sse, text, usage } from '../support/sse.ts'
import { chat, errorOf, eventually, keyWith } from '../support/wire-chat.ts'

const ENDINGS: Readonly<Record<string, (world: EndingWorld) => Promise<void>>> = {
  'after an answer': async ({ provider, send }) => {
    provider.script(completion('ok', 1, 1))
    expect(await send({}).status()).toBe(200)
  },
  'after a stream': async ({ provider, send }) => {
    provider.script(sse(role(), text('ok'), finish(), usage(1, 1), done()))
    await send({ stream: true }).text()
  },
  "after a provider's refusal": async ({ provider, send }) => {
    provider.script(status(422, { error: { message: 'no' } }))
    expect(await send({}).status()).toBe(422)
  },
  'after a stream that breaks': async ({ provider, send }) => {
    provider.script(script(sse(role(), text('ok'), { reset: true })))
    await send({ stream: true }).text()
  },
  'when the caller leaves in mid-stream': async ({ provider, send }) => {
    provider.script(sse(role(), text('yyy'), hang()))
    const answer = send({ stream: true })
    await answer.until('yyy')
    answer.hangUp()
  },
  'when the caller leaves before an answer': async ({ provider, send }) => {
    provider.script(silence())
    const answer = send({})
    await provider.arrived()
    answer.hangUp()
  },
  'after a body that is no request': async ({ send }) => {
    expect(await send({ messages: 7 }).status()).toBe(400)
  },
  'after a model that is not there': async ({ send }) => {
    expect(await send({ model: 'nope' }).status()).toBe(404)
  },
}

interface EndingWorld {
  readonly provider: Awaited<ReturnType<typeof scriptedProvider>>
  readonly send: (fields: object) => ReturnType<typeof chat>
}

test.each(Object.keys(ENDINGS))('a place among the requests in progress comes back %s', async (name) => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  const { headers } = await keyWith(gateway, { concurrency: 1 })
  await ENDINGS[name]?.({ provider, send: (fields) => chat(gateway, fields, headers) })
  provider.script(completion('ok', 1, 1))
  await eventually(async () => (await chat(gateway, {}, headers).status()) === 200 || undefined)
})

test('while the last place is taken, another request is refused; a listing takes none', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  const { headers } = await keyWith(gateway, { concurrency: 1 })
  provider.script(script(gate('answer'), completion('ok', 1, 1)))
  const first = chat(gateway, {}, headers)
  await provider.reached('answer')
  const refused = await errorOf(chat(gateway, {}, headers))
  expect(refused).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
  expect(refused.message).toContain('1 requests in progress')
  expect(await rawRequest(gateway.origin, { method: 'GET', path: '/v1/models', headers }).status()).toBe(200)
  provider.release('answer')
  expect(await first.status()).toBe(200)
})
