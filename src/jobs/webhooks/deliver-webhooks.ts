import { webhookSecretOwner } from '../../accounts/index.ts'
import type { Outbound, OutboundAnswer } from '../../agents/index.ts'
import type { Clock, ExpiryClock, Random } from '../../lib/index.ts'
import { DAY_MS } from '../../lib/index.ts'
import type { DueEvent, EventTry, Reader, Writer } from '../../store/index.ts'
import type { Log } from '../../telemetry/index.ts'
import { type Vault, VaultError } from '../../vault/index.ts'
import { repeatedly } from '../repeatedly.ts'
import { nextTry } from './next-try.ts'
import { signedHeaders } from './signed-headers.ts'

export interface WebhookRooms {
  readonly clock: Clock
  readonly expiries: ExpiryClock
  readonly random: Random
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly reader: Pick<Reader, 'eventsDue'>
  readonly writer: Pick<Writer, 'eventTried' | 'pruneEvents'>
  readonly vault: Pick<Vault, 'open'>
  readonly outbound: Pick<Outbound, 'ask'>
}

const PERIOD_MS = 1000
const PRUNE_PERIOD_MS = 3_600_000
const KEPT_MS = 30 * DAY_MS
const IN_FLIGHT_MAX = 32
const LIMITS = { connectMs: 5000, idleMs: 10_000, totalMs: 10_000, bodyBytesMax: 65_536 } as const
const OK = 200
const REDIRECT = 300

/**
 * Sends accounts what they are to be told, at least once, each account one after another: at the start and once a second it looks for events
 * whose time has come. An answer that is no success, a redirect too, is tried again later. The answer stops it: what is on its way then is sent
 * again after the next start.
 */
export function deliverWebhooks(rooms: WebhookRooms): () => void {
  const { clock, expiries, reader, writer, log } = rooms
  const stopping = new AbortController()
  const accountsInFlight = new Set<string>()

  async function look(): Promise<void> {
    // As many more as are on their way, which are due still.
    const due = await reader.eventsDue(clock.wallMs(), IN_FLIGHT_MAX + accountsInFlight.size)
    for (const event of due) {
      if (stopping.signal.aborted || accountsInFlight.size >= IN_FLIGHT_MAX) return
      if (accountsInFlight.has(event.accountId)) continue
      accountsInFlight.add(event.accountId)
      void deliver(rooms, event, stopping.signal).finally(() => accountsInFlight.delete(event.accountId))
    }
  }

  const stopLooking = repeatedly({ clock, log, periodMs: PERIOD_MS, failure: 'webhooks_unread' }, look)
  const pruning = { clock, log, periodMs: PRUNE_PERIOD_MS, failure: 'webhooks_not_pruned' }
  const stopPruning = repeatedly(pruning, async (isStopped) => {
    while (!isStopped() && (await writer.pruneEvents(expiries.nowMs() - KEPT_MS)) > 0);
  })
  return () => {
    stopLooking()
    stopPruning()
    stopping.abort()
  }
}

async function deliver(rooms: WebhookRooms, event: DueEvent, signal: AbortSignal): Promise<void> {
  const { clock, random, log, writer } = rooms
  const fault = await send(rooms, event, signal)
  if (signal.aborted) return
  const failed = () => nextTry(event.tries + 1, clock.wallMs(), random)
  const outcome = fault === null ? ({ state: 'delivered', nextAtMs: null } as const) : failed()
  const end: EventTry = { ...outcome, seq: event.seq, fault }
  const line = { event_id: event.id, account_id: event.accountId, tries: event.tries + 1 }
  if (fault === null) log.info('webhook_delivered', line)
  else log.warn(end.state === 'dead' ? 'webhook_given_up' : 'webhook_failed', { ...line, message: fault })
  await writer.eventTried(end).catch((error: Error) => {
    log.warn('webhook_unwritten', { ...line, message: error.message }) // it is sent again: its id tells
  })
}

/** What went wrong; null: it was taken. */
async function send(rooms: WebhookRooms, event: DueEvent, signal: AbortSignal): Promise<string | null> {
  const { clock, vault, outbound } = rooms
  try {
    const secret = vault.open(event.sealed, webhookSecretOwner(event.accountId))
    const body = bodyOf(event)
    const signed = signedHeaders({ id: event.id, sentAtS: Math.floor(clock.machineMs() / 1000), body, secret })
    const headers = [['content-type', 'application/json'], ['user-agent', 'anyrouter'], ...signed] as const
    const request = { method: 'POST', headers, body: new TextEncoder().encode(body), limits: LIMITS } as const
    return faultOf(await outbound.ask(event.url, request, signal))
  } catch (error) {
    if (error instanceof VaultError) return error.message
    throw error
  }
}

function faultOf(answer: OutboundAnswer): string | null {
  if (answer.kind === 'answer') {
    const { status } = answer.head
    return status >= OK && status < REDIRECT ? null : `answered with status ${status}`
  }
  return answer.kind === 'given_up' ? answer.reason : `${answer.reason}: ${answer.message}`
}

/** The same text each time. */
const bodyOf = ({ id, kind, accountId, createdAtMs, data }: DueEvent): string =>
  JSON.stringify({ id, type: kind, timestamp: new Date(createdAtMs).toISOString(), account_id: accountId, data })
