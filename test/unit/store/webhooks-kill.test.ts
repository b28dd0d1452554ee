import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import type { BoundedRequest, OutboundAnswer } from '../../../src/agents/index.ts'
import { deliverWebhooks } from '../../../src/jobs/index.ts'
import { systemRandom } from '../../../src/lib/index.ts'
import { testVault } from '../../support/vault.ts'
import { storeChild, WEBHOOK_SECRET } from './process-kit.ts'
import { type StoreKit, storeKit, tempFolder, until } from './store-kit.ts'

/** A process that dies around the commit of a settlement that brings a balance below its mark; what it leaves. */
async function left(what: string): Promise<StoreKit> {
  const dataFolder = tempFolder()
  const { child } = await storeChild(dataFolder, what)
  await child.exited
  return storeKit({ dataFolder })
}

/** The job, and what it sent. Nobody answers until `answer` is called. */
function deliver({ store, clock }: StoreKit) {
  const sent: BoundedRequest[] = []
  const random = systemRandom()
  const { promise, resolve } = Promise.withResolvers<OutboundAnswer>()
  const outbound = {
    ask(_url: string, request: BoundedRequest) {
      sent.push(request)
      return promise
    },
  }
  const log = { info: () => {}, warn: () => {} }
  const stop = deliverWebhooks({
    ...store,
    clock,
    expiries: { nowMs: () => clock.wallMs() },
    random,
    log,
    vault: testVault(random),
    outbound,
  })
  clock.advance(1000)
  const answer = () => resolve({ kind: 'answer', head: { status: 200, headers: [] }, body: new Uint8Array() })
  return { sent, stop, answer }
}

const eventsOf = ({ store }: StoreKit) => store.reader.events('acc_1', { limit: 9, after: null })

test('killed between the commit and the message: it is sent by the next process, and again by the one after that, under one id', async () => {
  const kit = await left('low_after_commit')
  const first = deliver(kit)
  await until(
    async () => first.sent.length,
    (count) => count === 1,
  )
  first.stop() // that process is gone before it hears an answer
  await kit.reopen()
  const second = deliver(kit)
  await until(
    async () => second.sent.length,
    (count) => count === 1,
  )
  second.answer()
  await until(
    () => eventsOf(kit),
    ([event]) => event?.state === 'delivered',
  )
  second.stop()
  const [one, other] = [...first.sent, ...second.sent].map((request) => new Map(request.headers))
  expect(one?.get('webhook-id')).toMatch(/^evt_[0-9a-f]{32}$/)
  expect(other?.get('webhook-id')).toBe(one?.get('webhook-id') ?? '')
  const body = new TextDecoder().decode(second.sent[0]?.body ?? new Uint8Array())
  const signed = `${other?.get('webhook-id')}.${other?.get('webhook-timestamp')}.${body}`
  const key = Buffer.from(WEBHOOK_SECRET.replace('whsec_', ''), 'base64')
  expect(other?.get('webhook-signature')).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  expect(await eventsOf(kit)).toMatchObject([{ kind: 'balance.low', data: { balance_nano: 999_223 }, tries: 1 }])
  await kit.end()
})

test('killed before the commit: there is neither the charge nor the message', async () => {
  const kit = await left('low_before_commit')
  expect(await eventsOf(kit)).toEqual([])
  expect(await kit.store.reader.settlements(null, { limit: 9, after: null })).toEqual([])
  await kit.end()
})
