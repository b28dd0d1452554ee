import type { ReplyStream } from '../../../../src/dialects/index.ts'
import type { LiveObserver, RelayEnd } from '../../../../src/pipeline/handover.ts'
import type { DirectController } from '../../../../src/pipeline/relay/direct-body.ts'
import { type RelayPlan, relayBody, type UnwholeEnd } from '../../../../src/pipeline/relay/relay.ts'
import { createHouseDouble } from '../../../support/house.ts'
import { callAt } from '../support.ts'

const bytesOf = (text: string): Uint8Array => Buffer.from(text)
/** An event with content. */
export const content = (text: string) => ({ kind: 'content', bytes: bytesOf(text) }) as const
/** An event with which the provider says that it failed. */
export const failure = (message: string) =>
  ({
    kind: 'error',
    bytes: bytesOf('never passed on'),
    error: { status: 200, message, type: null, code: null, param: null },
  }) as const

const SENT = {
  sentCompletely: true,
  timing: (): never => {
    throw new Error('not asked for')
  },
}

interface RelayingSpec {
  readonly held?: readonly string[]
  readonly leftBefore?: boolean
  readonly lastComment?: string
  readonly heartbeatAfterMs?: number
  readonly mediaType?: string | null
}

/** What the test says of the reply, as the relay reads it. */
const readOf = (reply: { finished: boolean; closed: boolean; closing: string }) =>
  ({
    get finished() {
      return reply.finished
    },
    get closed() {
      return reply.closed
    },
    closing: () => bytesOf(reply.closing),
  }) as ReplyStream

const told = (end: UnwholeEnd): string => (end.kind === 'broken' ? `[${end.reason}: ${end.message}]` : `[${end.by}]`)

/** What a relay tells its meter. */
const meterOf = (told: { delivered: number; metering: boolean; readonly pays: boolean }) => ({
  delivered: () => {
    told.delivered++
    return told.pays
  },
  stop: () => {
    told.metering = false
  },
})

/** What a relay needs, of a provider that is the test. */
export function planned({
  held = ['held '],
  leftBefore = false,
  lastComment = '',
  heartbeatAfterMs = 0,
  mediaType = null,
}: RelayingSpec = {}) {
  const world = createHouseDouble({ routing: { heartbeatAfterMs } })
  const caller = callAt(world)
  if (leftBefore) caller.leave()
  const ends: RelayEnd[] = []
  const heldUp: boolean[] = []
  const provider = { state: 'open', isPaused: false, delivered: 0, metering: true, pays: true }
  const waiting: { readonly isPaused: boolean; readonly resolve: () => void }[] = []
  const pausing = (isPaused: boolean) => () => {
    provider.isPaused = isPaused
    for (const wait of waiting) if (wait.isPaused === isPaused) wait.resolve()
  }
  const reply = { finished: true, closed: false, closing: '' }
  let observer: LiveObserver | null = null
  const plan: RelayPlan = {
    live: {
      mediaType,
      exchange: {
        ...SENT,
        pause: pausing(true),
        resume: pausing(false),
        abort: () => {
          provider.state = 'aborted'
        },
      },
      reply: readOf(reply),
      held: held.map(content),
      attach(attached) {
        observer = attached
        pausing(false)() // as a source does that was held up before anybody listened
      },
    },
    meter: meterOf(provider),
    lastComment: bytesOf(lastComment),
    errorEvent: (end) => (mediaType === null ? bytesOf(told(end)) : null),
    ended(end, wasHeldUp) {
      ends.push(end)
      heldUp.push(wasHeldUp)
    },
  }
  return {
    ...caller,
    world,
    plan,
    ends,
    heldUp,
    provider,
    reply,
    /** What the relay was told to listen with. */
    get to(): LiveObserver {
      if (observer === null) throw new Error('the relay does not listen')
      return observer
    },
    until: (isPaused: boolean): Promise<void> =>
      provider.isPaused === isPaused
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ isPaused, resolve })),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

/** A relay between a provider and a client that are both the test. */
export function relaying(spec: RelayingSpec = {}) {
  const made = planned(spec)
  return Object.assign(made, { body: relayBody(made.world.house, made.call, made.plan) })
}

/** The client's side of a relay in the test's hand: what it was given, how it was closed, and what it has not taken yet. */
export function handController() {
  const given: string[] = []
  const closes: string[] = []
  let full: 'no' | 'written' | 'flushed' = 'no'
  const untaken: PromiseWithResolvers<number>[] = []
  const wait = (): Promise<number> => {
    const made = Promise.withResolvers<number>()
    untaken.push(made)
    return made.promise
  }
  const controller: DirectController = {
    write(bytes) {
      given.push(Buffer.from(bytes).toString())
      return full === 'written' ? wait() : bytes.byteLength
    },
    flush: () => (full === 'flushed' ? wait() : 0),
    close: (error) => closes.push(error?.message ?? 'clean'),
  }
  return {
    controller,
    given,
    closes,
    /** From now on it is full, until it takes all or hangs up: it tells so for what is written, or for the flush alone. */
    fill(told: 'written' | 'flushed' = 'written') {
      full = told
    },
    takeOne: () => untaken.shift()?.resolve(0),
    take() {
      full = 'no'
      for (const one of untaken.splice(0)) one.resolve(0)
    },
    hangUp() {
      full = 'no'
      for (const one of untaken.splice(0)) one.reject(new Error('gone'))
    },
  }
}
