import { expect, test } from 'bun:test'
import { webhookSecretOwner } from '../../../src/accounts/index.ts'
import type { BoundedRequest, OutboundAnswer } from '../../../src/agents/index.ts'
import { money } from '../../../src/domain/index.ts'
import { deliverWebhooks } from '../../../src/jobs/index.ts'
import type { WebhookEvent } from '../../../src/store/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { createStoreDouble } from '../../support/store-double.ts'
import { testVault } from '../../support/vault.ts'
import { breathe } from '../../support/wire.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const random = { bytes: (size: number) => new Uint8Array(size).fill(1), fraction: () => 0 }
const answer = (status: number): OutboundAnswer => ({
  kind: 'answer',
  head: { status, headers: [] },
  body: new Uint8Array(),
})

/** A store with webhooks of these accounts, and a receiver that answers in the test's words. */
async function world(accountIds: readonly string[], reply: (url: string) => OutboundAnswer | Promise<OutboundAnswer>) {
  const store = createStoreDouble()
  const clock = fakeClock()
  const vault = testVault(random)
  for (const accountId of accountIds) {
    store.seedAccount({ id: accountId, balance: money(1) })
    const sealed = vault.seal(SECRET, webhookSecretOwner(accountId))
    await store.writer.setWebhook({
      accountId,
      url: `https://${accountId}.example/`,
      lowBalance: null,
      sealed,
      updatedAtMs: 1,
    })
  }
  const asked: { readonly url: string; readonly request: BoundedRequest; readonly signal?: AbortSignal }[] = []
  const outbound = {
    async ask(url: string, request: BoundedRequest, signal?: AbortSignal) {
      asked.push({ url, request, ...(signal === undefined ? {} : { signal }) })
      return reply(url)
    },
  }
  const lines: string[] = []
  const log = { info: (event: string) => void lines.push(event), warn: (event: string) => void lines.push(event) }
  const stop = deliverWebhooks({
    clock,
    expiries: { nowMs: clock.wallMs },
    random,
    log,
    reader: store.reader,
    writer: store.writer,
    vault,
    outbound,
  })
  const pass = async (ms: number) => {
    clock.advance(ms)
    for (let at = 0; at < 5; at++) await breathe()
  }
  const add = (accountId: string) => store.writer.testWebhook(accountId, clock.wallMs())
  const events = (): WebhookEvent[] => [...store.tables.events.values()]
  return { store, clock, asked, lines, stop, pass, add, events }
}

test('an event is sent once, signed as Standard Webhooks has it', async () => {
  const { asked, stop, pass, add, events, lines, clock } = await world(['acc_1'], () => answer(204))
  await add('acc_1')
  await pass(1000)
  await pass(5000)
  expect(events()).toMatchObject([{ state: 'delivered', tries: 1, nextAtMs: null, fault: null }])
  expect(lines).toEqual(['webhook_delivered'])
  expect(asked).toHaveLength(1)
  const [{ url, request }] = asked as [(typeof asked)[number]]
  const headers = new Map(request.headers)
  const sentAtS = Math.floor((clock.wallMs() - 5000) / 1000)
  const body = new TextDecoder().decode(request.body ?? new Uint8Array())
  expect(url).toBe('https://acc_1.example/')
  expect(JSON.parse(body)).toMatchObject({ id: 'evt_1', type: 'test', account_id: 'acc_1', data: {} })
  expect(headers.get('webhook-timestamp')).toBe(String(sentAtS))
  const key = Buffer.from(SECRET.slice(6), 'base64')
  const wanted = new Bun.CryptoHasher('sha256', key).update(`evt_1.${sentAtS}.${body}`).digest('base64')
  expect(headers.get('webhook-signature')).toBe(`v1,${wanted}`)
  stop()
})

test('what fails waits longer and longer, and is given up at last', async () => {
  const { asked, stop, pass, add, events, lines, clock } = await world(['acc_1'], () => answer(500))
  await add('acc_1')
  const waitsMs: number[] = []
  await pass(1000)
  for (let event = events()[0]; event?.state === 'waiting'; event = events()[0]) {
    const waitMs = (event.nextAtMs ?? 0) - clock.wallMs()
    waitsMs.push(waitMs)
    await pass(waitMs - 1000)
    expect(asked).toHaveLength(waitsMs.length)
    await pass(1000)
  }
  expect(waitsMs.slice(0, 3)).toEqual([10_000, 20_000, 40_000])
  expect(waitsMs.at(-1)).toBe(6 * 3_600_000)
  expect(events()).toMatchObject([{ state: 'dead', tries: 14, fault: 'answered with status 500' }])
  expect(asked).toHaveLength(14)
  expect(lines.filter((line) => line === 'webhook_given_up')).toHaveLength(1)
  stop()
})

test('a receiver that stalls holds up its own account alone', async () => {
  const { asked, stop, pass, add, events } = await world(['acc_1', 'acc_2'], (url) =>
    url.includes('acc_1') ? new Promise<OutboundAnswer>(() => {}) : answer(200),
  )
  await add('acc_1')
  await add('acc_1')
  await add('acc_2')
  await pass(1000)
  await add('acc_2')
  await pass(1000)
  expect(asked.map(({ url }) => url)).toEqual([
    'https://acc_1.example/',
    'https://acc_2.example/',
    'https://acc_2.example/',
  ])
  expect(events().map(({ state }) => state)).toEqual(['waiting', 'waiting', 'delivered', 'delivered'])
  stop()
  expect(asked[0]?.signal?.aborted).toBe(true)
})

test('an address that is refused is told to the operator', async () => {
  const { stop, pass, add, events } = await world(['acc_1'], () => ({
    kind: 'unsent',
    reason: 'address',
    message: '10.0.0.1 may not be dialled: it is private',
  }))
  await add('acc_1')
  await pass(1000)
  expect(events()).toMatchObject([{ state: 'waiting', fault: 'address: 10.0.0.1 may not be dialled: it is private' }])
  stop()
})
