import { expect, test } from 'bun:test'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { gate, script } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { chat, errorOf, eventually, recordOf } from '../support/wire-chat.ts'

const set = (gateway: TestGateway, backend: string, forMs?: number) =>
  gateway.admin('PUT', `/quarantine/${backend}`, {
    reason: 'a flood in the cellar',
    ...(forMs === undefined ? {} : { for_ms: forMs }),
  })
const readiness = async ({ origin }: TestGateway) => {
  const answer = await fetch(`${origin}/readyz`)
  return { status: answer.status, body: await answer.json() }
}

test('a quarantined backend gets nothing, from the next request on; its record says who, why and until when', async () => {
  await using first = await scriptedProvider()
  await using second = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider: first }, { provider: second }] } })
  second.script(completion('ok', 1, 1), completion('ok', 1, 1))
  expect((await set(gateway, 'b0', 600_000)).status).toBe(200)

  const answer = chat(gateway)
  expect(await answer.status()).toBe(200)
  const { skips, attempts } = await recordOf(gateway, await answer.head())
  expect(skips).toMatchObject([
    { backend: 'b0', rule: 'quarantined', reason: 'the backend is quarantined', until_ms: expect.any(Number) },
  ])
  expect(skips[0].evidence).toMatch(/^operator \S+ since \S+Z until \S+Z: a flood in the cellar$/)
  expect(attempts).toMatchObject([{ backend: 'b1', outcome: 'succeeded' }])
  expect(first.connections).toBe(0)

  await gateway.restart()
  expect(await chat(gateway).status()).toBe(200)
  expect(first.connections).toBe(0)

  first.script(completion('ok', 1, 1))
  expect((await gateway.admin('DELETE', '/quarantine/b0')).status).toBe(200)
  expect(await chat(gateway).status()).toBe(200)
  expect(first.connections).toBe(1)
})

test('all are out: 503 with the earliest end as Retry-After, not ready, and no word of the reason to callers', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }, { provider }] } })
  expect(await readiness(gateway)).toMatchObject({ status: 200 })
  const page = async () => await (await fetch(`${gateway.origin}/`)).text()
  expect(await page()).toContain('>2 of 2<')
  await set(gateway, 'b0', 3_600_000)
  expect(await readiness(gateway)).toMatchObject({ status: 200 })
  expect(await page()).toContain('>1 of 2<')
  await set(gateway, 'b1', 600_000)

  const error = await errorOf(chat(gateway))
  expect(error).toMatchObject({ status: 503, code: 'no_backend' })
  expect(error.message).toBe("No backend can serve the model 'm1' now: the backend is quarantined.")
  expect(JSON.stringify(error)).not.toContain('cellar')
  const retryAfterS = Number(error.head.header('retry-after'))
  expect(retryAfterS).toBeLessThanOrEqual(600)
  expect(retryAfterS).toBeGreaterThan(540)
  expect(error.head.header('x-should-retry')).toBe('false') // ten minutes are more than SDKs wait
  const unready = { status: 503, body: { status: 'not ready', reason: 'every backend is quarantined' } }
  expect(await readiness(gateway)).toEqual(unready)
  await gateway.restart()
  expect(await readiness(gateway)).toEqual(unready)
  expect(provider.connections).toBe(0)
})

test('it ends by itself when its time is over', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(completion('ok', 1, 1))
  expect((await set(gateway, 'b0', 300)).body).toMatchObject({ backend: 'b0' })
  await eventually(async () => ((await readiness(gateway)).status === 200 ? true : undefined))
  expect(await chat(gateway).status()).toBe(200)
})

test('what is in progress goes on', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(script(gate('wait'), completion('ok', 1, 1)))
  const answer = chat(gateway)
  await provider.reached('wait')
  await set(gateway, 'b0')
  provider.release('wait')
  expect(await answer.status()).toBe(200)
  expect(await chat(gateway).status()).toBe(503)
})
