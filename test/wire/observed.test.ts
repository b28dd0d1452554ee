import { expect, test } from 'bun:test'
import { startGateway } from '../support/gateway.ts'
import { status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { done, finish, role, sse, text, usage } from '../support/sse.ts'
import { chat, eventually, streamChat } from '../support/wire-chat.ts'

test('what was observed of a backend is told of it, and outlives a restart', async () => {
  await using north = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider: north, id: 'north' }] } })
  // The provider takes its time between the first content and the end: else the speed would be chance.
  north.script(status(500), sse(role(), text('a'), { sleep_ms: 20 }, text('b'), finish(), usage(5, 40), done()))
  await chat(gateway).text()
  await chat(gateway, { stream: true }).text()
  const observed = () =>
    eventually(async () => {
      const { body } = await gateway.admin('GET', '/backends/north')
      return body.observed?.samples === 2 ? body.observed : undefined
    })
  const before = await observed()
  expect(before).toMatchObject({ success_rate: { last_5m: 0.5, last_30m: 0.5, last_1d: 0.5 } })
  expect(before.first_content_ms.p50).toBeGreaterThan(0)
  expect(before.tokens_per_second.p50).toBeWithin(1, 2100) // 40 tokens in 20 ms or more
  await gateway.restart()
  expect(await observed()).toEqual(before)
})

test('`sort: latency` goes to the quickest that was observed, though another stands first', async () => {
  await using slow = await scriptedProvider()
  await using quick = await scriptedProvider()
  await using gateway = await startGateway({
    offers: {
      m1: [
        { provider: slow, id: 'slow' },
        { provider: quick, id: 'quick' },
      ],
    },
    yaml: { routing: { sort: 'latency' } },
  })
  // Slower than a busy machine makes the quick one.
  slow.script(sse({ sleep_ms: 600 }, role(), text('slow'), finish(), done()))
  quick.script(sse(role(), text('quick'), finish(), done()))
  const ask = async (fields: object = {}) =>
    (await streamChat(gateway, fields).text()).includes('quick') ? 'quick' : 'slow'
  expect(await ask({ provider: { order: ['slow'] } })).toBe('slow')
  expect(await ask({ provider: { order: ['quick'] } })).toBe('quick')
  // Plans see what was observed a second later; until then the one of which nothing is known may be tried.
  const inARow = async (count: number): Promise<true | undefined> => {
    for (let at = 0; at < count; at++) if ((await ask()) !== 'quick') return undefined
    return true
  }
  expect(await eventually(() => inARow(5))).toBe(true)
  expect(await ask({ provider: { sort: 'weight', order: ['slow'] } })).toBe('slow')
})
