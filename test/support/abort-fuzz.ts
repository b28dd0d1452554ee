import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AbortPlan, abortPlan, diceOf } from './abort-plan.ts'
import { type AbortProvider, abortProvider, markOf } from './abort-provider.ts'
import { bearer, startGateway, type TestGateway } from './gateway.ts'
import { requestBytes } from './raw-client.ts'
import { type Wire, wireHandlers } from './wire.ts'
import { CHAT_PATH } from './wire-chat.ts'

export interface AbortFuzz {
  readonly requests: number
  /** Everything that is thrown follows from it. */
  readonly seed: number
  /** Called at rest after each fifth of the requests, with the gateway's own process (null: it runs in this one). */
  readonly atFifth?: (pid: number | null) => void
}

const AT_ONCE = 24
const SLOTS = 3 // far fewer than are at once: some leave while they wait

/**
 * Requests that are ended by either side at any byte, and then everything that must hold at rest: no slot, waiter or hold is left, no
 * connection without an owner, the ledger is clean, who was sent to a provider was settled exactly once, and nothing that was cut looks whole.
 */
export async function fuzzAborts({ requests, seed, atFifth = () => {} }: AbortFuzz): Promise<void> {
  const dice = diceOf(seed)
  const plans = Array.from({ length: requests }, (_, number) => abortPlan(number, dice))
  await using provider = abortProvider((number) => plans[number])
  await using gateway = await startGateway({
    offers: { m1: [0, 1].map(() => ({ provider, backend: { slots: SLOTS } })) },
    balanceUsd: '10000.00',
    // What is out is not fuzzed; whether it would be is not asked here.
    yaml: {
      routing: { queue_ms: 60_000 },
      quarantine: { failures: 10_000, window_min: 1_000_000, rate: 1, probe: false },
    },
  })
  try {
    await playAll(gateway, provider, plans, atFifth)
  } catch (error) {
    gateway.expectBroken() // this failure is to be told, not what it leaves
    throw error
  }
  await gateway.stop() // checks the ledger and the slots
  const bugs = gateway
    .logs()
    .split('\n')
    .filter((line) => /"level":"(error|fatal)"|internal_error/.test(line))
  expect(bugs.slice(0, 3)).toEqual([])
  expectSettledOnce(gateway, plans, provider)
}

async function playAll(
  gateway: TestGateway,
  provider: AbortProvider,
  plans: readonly AbortPlan[],
  atFifth: (pid: number | null) => void,
): Promise<void> {
  const seen = new Map<number, Seen>()
  for (let fifth = 0; fifth < 5; fifth++) {
    const queue = plans.slice((plans.length * fifth) / 5, (plans.length * (fifth + 1)) / 5).values()
    const worker = async () => {
      for (const plan of queue) seen.set(plan.number, await play(gateway, provider, plan))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    await untilAtRest(gateway, provider)
    atFifth(gateway.pid)
  }
  for (const plan of plans) expectTruth(plan, seen.get(plan.number), provider)
}

/** All that a caller got. */
interface Seen {
  readonly bytes: Buffer
}

/** Sends one request as planned, and resolves when its connection is over. */
export async function play(gateway: TestGateway, provider: AbortProvider, plan: AbortPlan): Promise<Seen> {
  const { caller, number } = plan
  const pieces: Buffer[] = []
  let size = 0
  const enough = Promise.withResolvers<void>()
  const leaveAt = caller.kind === 'leaves' && caller.side === 'answer' ? caller.at : Number.POSITIVE_INFINITY
  const wire = await dial(gateway.origin, (bytes) => {
    pieces.push(bytes)
    size += bytes.length
    if (size >= leaveAt) enough.resolve()
  })
  const bytes = requestBytes(gateway.origin, {
    path: CHAT_PATH,
    headers: { ...bearer(gateway), 'x-request-id': markOf(number), connection: 'close' },
    json: { model: 'm1', stream: plan.stream, messages: [{ role: 'user', content: markOf(number) }] },
  })
  if (caller.kind === 'leaves' && caller.side === 'request') await wire.write(bytes.subarray(0, caller.at))
  else {
    await wire.write(bytes)
    if (leaveAt === 0) enough.resolve()
    await Promise.race([enough.promise, wire.ended, ...(caller.kind === 'leaves' ? [provider.silent(number)] : [])])
  }
  if (caller.kind === 'stays') await wire.ended
  else if (caller.how === 'fin') wire.close()
  else wire.reset()
  return { bytes: Buffer.concat(pieces) }
}

async function dial(origin: string, onBytes: (bytes: Buffer) => void): Promise<Wire> {
  const { hostname, port } = new URL(origin)
  const { promise, resolve } = Promise.withResolvers<Wire>()
  const socket = wireHandlers(resolve, onBytes)
  await Bun.connect<Wire>({ hostname, port: Number(port), allowHalfOpen: true, socket })
  return promise
}

const AT_REST_MS = 10_000

/** Waits until everything is given back, on both sides: nothing is in progress, and every connection the provider has is kept idle. */
export async function untilAtRest(gateway: TestGateway, provider: AbortProvider): Promise<void> {
  const endMs = performance.now() + AT_REST_MS
  let state = await stateOf(gateway, provider)
  while (!Bun.deepEquals(state, AT_REST) && performance.now() < endMs) state = await stateOf(gateway, provider)
  expect(state).toEqual(AT_REST)
}

const AT_REST = {
  inFlight: 0,
  waiters: 0,
  holds: 0,
  holdsLeaked: 0,
  slots: 0,
  connectionsDialling: 0,
  connectionsBusy: 0,
  connectionsUnknown: 0,
}

async function stateOf(gateway: TestGateway, provider: AbortProvider): Promise<typeof AT_REST> {
  const { body } = await gateway.admin('GET', '/slots')
  const sum = (read: (backend: BackendSlots) => number): number =>
    body.data.reduce((total: number, backend: BackendSlots) => total + read(backend), 0)
  return {
    inFlight: body.in_flight,
    waiters: body.waiters + sum(({ waiters }) => waiters),
    holds: body.ledger.open_holds,
    holdsLeaked: body.ledger.leaks,
    slots: sum(({ slots_taken }) => slots_taken),
    connectionsDialling: sum(({ connections_dialling }) => connections_dialling),
    connectionsBusy: sum(({ connections_open, connections_idle }) => connections_open - connections_idle),
    connectionsUnknown: provider.connectionsOpen - sum(({ connections_open }) => connections_open),
  }
}

interface BackendSlots {
  readonly slots_taken: number
  readonly waiters: number
  readonly connections_open: number
  readonly connections_idle: number
  readonly connections_dialling: number
}

const ANSWER_SHOWN = 600

/** A refusal that is no fault of the gateway's: where others use the disk too, a commit may take longer than requests wait for one. */
export const isDiskTooSlow = (answer: string): boolean =>
  answer.startsWith('HTTP/1.1 503') && answer.includes('"code":"storage_unavailable"')

/** A caller that stayed got an end, and one that looks like success only when a provider gave all of it. */
function expectTruth(
  { number, caller, stream, provider: acts }: AbortPlan,
  seen: Seen | undefined,
  provider: AbortProvider,
) {
  if (caller.kind === 'leaves') return
  const text = seen?.bytes.toString('utf8') ?? ''
  if (isDiskTooSlow(text)) return
  const isServed = stream ? text.includes('[DONE]') : text.startsWith('HTTP/1.1 200')
  const done = provider.acts.get(number) ?? []
  const mayBe = done.some(({ isWhole }) => isWhole !== 'no')
  const mustBe = done.some(({ isWhole }) => isWhole === 'yes')
  expect({ number, isServed }).toEqual({ number, isServed: isServed ? mayBe : mustBe })
  const got = text.slice(0, ANSWER_SHOWN)
  if (acts[0]?.isWhole === 'yes') expect({ number, attempts: done.length, got }).toEqual({ number, attempts: 1, got })
  expect({ number, start: text.slice(0, 9) }).toEqual({ number, start: 'HTTP/1.1 ' })
}

/** Of what was sent to a provider each has one record and one settlement; nothing has two. */
function expectSettledOnce(gateway: TestGateway, plans: readonly AbortPlan[], provider: AbortProvider): void {
  using ledger = new Database(join(gateway.dataFolder, 'ledger.db'), { readonly: true })
  using records = new Database(join(gateway.dataFolder, 'records.db'), { readonly: true })
  const settled = ledger
    .query<{ request_id: string; n: number }, []>(
      'SELECT request_id, count(*) AS n FROM settlement GROUP BY request_id',
    )
    .all()
  expect(settled.filter(({ n }) => n !== 1)).toEqual([])
  const ended = new Set(settled.map(({ request_id }) => request_id))
  const recorded = records
    .query<{ request_id: string; client_request_id: string }, []>('SELECT request_id, client_request_id FROM request')
    .all()
  const recordsOf = Map.groupBy(recorded, ({ client_request_id }) => client_request_id)
  const wrong = plans.filter(({ number }) => {
    const own = recordsOf.get(markOf(number)) ?? []
    if (!provider.acts.has(number)) return own.length > 1
    return own.length !== 1 || own.some(({ request_id }) => !ended.has(request_id))
  })
  expect(wrong).toEqual([])
  expect(settled.length).toBeGreaterThanOrEqual(provider.acts.size)
}

/** What a process holds of the machine; null where it cannot be read. */
export function heldBy(pid: number): { readonly memoryBytes: number; readonly descriptors: number } | null {
  if (!existsSync(`/proc/${pid}/status`)) return null
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return { memoryBytes: Number(kib) * 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length }
}
