import type { RequestFacts } from '../../dialects/index.ts'
import { GatewayError, slugOf } from '../../domain/index.ts'
import type { Call } from '../call.ts'
import type { KeptFor } from '../find-kept.ts'
import type { Wish } from './rule.ts'

const PIN = 'x-anyrouter-provider'
const SESSION = 'x-session-id'
const ATTEMPTS = 'x-max-attempts'
const SESSION_CHARS_MAX = 256
const PIN_CHARS_MAX = 200

/** Of a call, what its wishes stand in. */
export interface Asking {
  readonly arrival: { readonly request: Pick<Request, 'headers'> }
  /** Spreads requests: another one for each. */
  readonly requestId: string
}

/** What a request wishes, by its body and its head; `kept`: where what it names is kept. Throws 400 with the header at fault. */
export function wishOf({ arrival, requestId }: Asking, facts: RequestFacts, kept?: KeptFor): Wish {
  const { headers } = arrival.request
  return {
    model: facts.model,
    operation: facts.operation,
    request: facts,
    pin: pinOf(headers.get(PIN)),
    session: facts.sessionId ?? sessionOf(headers.get(SESSION)) ?? facts.promptCacheKey,
    seed: requestId,
    kept,
  }
}

/** How many requests may be sent for this one: what the caller allows, within what the operator does. Throws 400. */
export function attemptsMaxOf({ arrival, settings }: Pick<Call, 'arrival' | 'settings'>): number {
  const { attemptsMax } = settings.routing
  const asked = arrival.request.headers.get(ATTEMPTS)
  if (asked === null) return attemptsMax
  if (!/^[1-9]\d{0,8}$/.test(asked)) throw badHeader(ATTEMPTS, `a whole number from 1 to ${attemptsMax}`)
  return Math.min(Number(asked), attemptsMax)
}

function pinOf(asked: string | null): string | undefined {
  if (asked === null) return undefined
  if (asked.trim() === '' || asked.length > PIN_CHARS_MAX) throw badHeader(PIN, 'the name of a provider')
  return slugOf(asked)
}

function sessionOf(asked: string | null): string | undefined {
  if (asked === null || asked === '') return undefined
  if (asked.length > SESSION_CHARS_MAX) throw badHeader(SESSION, `at most ${SESSION_CHARS_MAX} characters`)
  return asked
}

const badHeader = (name: string, expected: string): GatewayError =>
  new GatewayError('invalid_request', `Invalid header '${name}': expected ${expected}.`, { param: name })
