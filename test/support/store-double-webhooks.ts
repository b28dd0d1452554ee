import { GatewayError } from '../../src/domain/index.ts'
import type { ChangeNote, SealedWebhook, WebhookEvent, WebhookReads, WebhookWrites } from '../../src/store/index.ts'
import { bySeq, compare, cut, newestFirst } from './store-double-pages.ts'
import type { Tables } from './store-double-tables.ts'

type Noted = <T>(note: ChangeNote | undefined, apply: () => T) => Promise<T>

/** The writes of webhooks; `noted` brings a change to the double's disk. The double tells of no balance and of no budget by itself. */
export const webhookWrites = ({ webhooks, events, accounts }: Tables, noted: Noted): WebhookWrites => ({
  setWebhook: ({ sealed, ...wish }, note) =>
    noted(note, () => {
      const signs = sealed ?? found(webhooks.get(wish.accountId)).sealed
      if (!accounts.has(wish.accountId)) throw none()
      webhooks.set(wish.accountId, { ...wish, sealed: signs })
      return { ...wish, hasNewSecret: sealed !== null }
    }),
  removeWebhook: (accountId, note) =>
    noted(note, () => {
      const { sealed: _, ...webhook } = found(webhooks.get(accountId))
      webhooks.delete(accountId)
      for (const [seq, event] of events) {
        if (event.accountId !== accountId || event.state !== 'waiting') continue
        events.set(seq, { ...event, state: 'dead', nextAtMs: null, fault: 'the webhook was removed' })
      }
      return webhook
    }),
  testWebhook: (accountId, atMs, note) =>
    noted(note, () => {
      found(webhooks.get(accountId))
      const seq = events.size + 1
      const event: WebhookEvent = {
        seq,
        id: `evt_${seq}`,
        accountId,
        kind: 'test',
        data: {},
        createdAtMs: atMs,
        state: 'waiting',
        tries: 0,
        nextAtMs: atMs,
        fault: null,
      }
      events.set(seq, event)
      return event
    }),
  eventTried: ({ seq, ...end }) =>
    noted(undefined, () => {
      const event = events.get(seq)
      if (event?.state !== 'waiting') return 0
      events.set(seq, { ...event, ...end, tries: event.tries + 1 })
      return 1
    }),
  resealWebhooks: (rows) =>
    noted(undefined, () => {
      const here = rows.filter(({ accountId, from }) => webhooks.get(accountId)?.sealed === from)
      for (const { accountId, to } of here) webhooks.set(accountId, { ...found(webhooks.get(accountId)), sealed: to })
      return here.length
    }),
  pruneEvents: (beforeMs) =>
    noted(undefined, () => {
      const over = [...events.values()].filter((one) => one.state !== 'waiting' && one.createdAtMs < beforeMs)
      return over.filter(({ seq }) => events.delete(seq)).length
    }),
})

/** The reads of webhooks. */
export const webhookReads = ({ webhooks, events }: Tables): WebhookReads => ({
  webhook: async (accountId) => webhooks.get(accountId) ?? null,
  async webhooks(page) {
    const rows = [...webhooks.values()].sort((one, other) => compare(one.accountId, other.accountId))
    return cut(rows, page, ({ accountId }) => accountId)
  },
  async eventsDue(nowMs, eventsMax) {
    const due = [...events.values()].filter(({ nextAtMs }) => nextAtMs !== null && nextAtMs <= nowMs)
    due.sort((one, other) => (one.nextAtMs ?? 0) - (other.nextAtMs ?? 0))
    const first = due.filter((event, at) => due.findIndex(({ accountId }) => accountId === event.accountId) === at)
    return first.slice(0, eventsMax).flatMap((event) => {
      const webhook = webhooks.get(event.accountId)
      return webhook === undefined ? [] : [{ ...event, url: webhook.url, sealed: webhook.sealed }]
    })
  },
  async events(accountId, page) {
    return cut(newestFirst([...events.values()].filter((event) => event.accountId === accountId)), page, bySeq)
  },
})

function found(webhook: SealedWebhook | undefined): SealedWebhook {
  if (webhook === undefined) throw none()
  return webhook
}

const none = (): GatewayError => new GatewayError('not_found', 'The account has no webhook.')
