import { type Call, type Leave, openCall } from '../../../src/pipeline/call.ts'
import type { AffordableCandidate, PreparedRequest } from '../../../src/pipeline/handover.ts'
import { prepare } from '../../../src/pipeline/prepare.ts'
import type { RequestRecord, SettlementView } from '../../../src/store/index.ts'
import { type ArrivalSpec, type Asking, asking, chat } from '../../support/ask.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { type HouseDouble, PRICE } from '../../support/house.ts'
import { timingIn } from '../../support/server-timing.ts'

/** An opened call, and the caller behind it. */
export interface Calling extends Asking {
  readonly call: Call
  /** How many listen for its end now: who is done with a call must have stopped. */
  listeners(): number
}

/** Opens a call. */
export function callAt(world: HouseDouble, spec: ArrivalSpec = {}): Calling {
  const asked = asking(spec)
  const call = openCall(world.house, asked.arrival)
  const listening = new Set<() => void>()
  const leave: Leave = {
    get reason() {
      return call.leave.reason
    },
    fire: (reason) => call.leave.fire(reason),
    onFire(listener) {
      const stop = call.leave.onFire(listener)
      const unlisten = (): void => {
        listening.delete(unlisten)
        stop()
      }
      listening.add(unlisten)
      return unlisten
    },
  }
  return { ...asked, call: { ...call, leave }, listeners: () => listening.size }
}

/** A chat request that was understood. */
export const preparedOf = (fields: object = {}): PreparedRequest =>
  prepare('openai', 'chat.completions', Buffer.from(chat(fields)), new Request('http://gw/'))

/** All offers of the house, as `reserve` hands them on. */
export const candidatesOf = (world: HouseDouble, outputLimit: number | null = null): AffordableCandidate[] =>
  world.offers().map((offer) => ({
    offer,
    outputLimit,
    covered: { offer: offer.id, backend: offer.backend.id, price: offer.price ?? PRICE, cost: null, promptUnits: 10 },
  }))

/** The settlement on disk; there must be exactly one. */
export async function settlementOf({ store }: HouseDouble): Promise<SettlementView> {
  await settleMicrotasks()
  const [only, ...others] = [...store.tables.settlements.values()]
  if (only === undefined || others.length > 0) throw new Error(`${store.tables.settlements.size} settlements`)
  return only
}

/** The record on disk; there must be exactly one. */
export async function recordOf({ store }: HouseDouble): Promise<RequestRecord> {
  await settleMicrotasks()
  const [only, ...others] = [...store.tables.records.values()]
  if (only === undefined || others.length > 0) throw new Error(`${store.tables.records.size} records`)
  return only
}

/** The entries of `Server-Timing` in hundredths of a ms; that they sum up is checked on the way. */
export const timingOf = (response: Response): ReadonlyMap<string, number> =>
  timingIn(response.headers.get('server-timing'))

/** What an error answer says. */
export async function errorOf(response: Response): Promise<{ readonly status: number; readonly error: PublicFields }> {
  const { error } = (await response.json()) as { error: PublicFields }
  return { status: response.status, error }
}

export interface PublicFields {
  readonly message: string
  readonly type: string
  readonly code: string | null
  readonly param: string | null
  readonly attempts?: readonly Record<string, unknown>[]
}

/** What has come of a streamed answer so far. */
export interface Reading {
  /** The next piece as text; null at the clean end. Rejects when the body breaks. */
  next(): Promise<string | null>
  /** All that is left. */
  rest(): Promise<string>
  /** The caller hangs up. */
  cancel(): Promise<void>
}

/** Reads a body piece by piece. */
export function reading(body: ReadableStream<Uint8Array> | null): Reading {
  if (body === null) throw new Error('no body')
  const reader = body.getReader()
  const next = async (): Promise<string | null> => {
    const { done, value } = await reader.read()
    return done ? null : Buffer.from(value).toString()
  }
  return {
    next,
    async rest() {
      let text = ''
      for (let piece = await next(); piece !== null; piece = await next()) text += piece
      return text
    },
    cancel: () => reader.cancel(),
  }
}

/** The text that the chunks of a stream carry. */
export const textOf = (events: string): string =>
  [...events.matchAll(/"content":"([^"]*)"/g)].map(([, text]) => text).join('')
