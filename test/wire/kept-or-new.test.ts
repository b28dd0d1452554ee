import { expect, test } from 'bun:test'
import { startGateway } from '../support/gateway.ts'
import { close, gate, json, raw, script, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, finish, role, sse, text, usage } from '../support/sse.ts'
import { chat, recordOf } from '../support/wire-chat.ts'

/** Where each of these requests went, and why, with these settings of the agents. */
async function decisions(agents: Record<string, unknown>) {
  await using first = await scriptedProvider()
  await using second = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [{ provider: first, backend: { slots: 1 } }, { provider: second }] },
    yaml: { agents },
  })
  const ok = completion('ok', 1, 1)
  const streamed = sse(role(), text('a'), finish(), usage(1, 1), done())
  const fails = json(500, { error: { message: 'down' } })
  const cut = raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\ncontent-type: application/json\r\n\r\n{"choi').then(
    close(),
  )
  const refuses = json(400, { error: { message: 'no' } })
  const waits = status(429, {}, { 'retry-after': '60' })
  first.script(ok, streamed, fails, cut, refuses, script(gate('busy'), ok), waits)
  second.script(ok)
  const told: unknown[] = []
  const settled = async (answer: ReturnType<typeof chat>): Promise<void> => {
    await answer.text()
    const head = await answer.head()
    const { backend, skips, attempts } = await recordOf(gateway, head)
    const tried = attempts.map((one: Record<string, unknown>) => [one.backend, one.outcome])
    const passedOver = skips.map((one: Record<string, unknown>) => [one.backend, one.rule, one.reason])
    told.push({ status: head.status, backend, passedOver, tried })
  }
  for (const fields of [{}, { stream: true }, {}, {}, {}]) await settled(chat(gateway, fields))
  const holding = chat(gateway)
  await first.reached('busy')
  await settled(chat(gateway)) // the first is full
  first.release('busy')
  await settled(holding)
  for (let left = 3; left > 0; left--) await settled(chat(gateway)) // throttled, then passed over
  return { told, connections: first.connections + second.connections }
}

test('whether connections are kept changes no decision: the same backends, skips and attempts', async () => {
  const kept = await decisions({})
  const anew = await decisions({ idle_max: 0, warm: 0 })
  expect(new Set(kept.told.map((one) => Object(one).status))).toEqual(new Set([200, 400]))
  expect(anew.told).toEqual(kept.told)
  expect(anew.connections).toBeGreaterThan(kept.connections)
})
