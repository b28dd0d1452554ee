import type { BackendId, Offer, OperatorCredential, Outcome } from '../../domain/index.ts'
import type { Claim } from '../../health/index.ts'
import { type Call, leaving } from '../call.ts'
import type { AffordableCandidate, DispatchEnd, PreparedRequest } from '../handover.ts'
import type { House } from '../house.ts'
import { leftAfter } from '../not-again.ts'
import { finalError } from './final-error.ts'
import { keepSession } from './keep-session.ts'
import { passedOver } from './passed-over.ts'
import { type Failure, recordedAttempt, type Trying } from './recorded-attempt.ts'
import { chanceOf, type Taken, takeSlot } from './take-slot.ts'

export interface DispatchPlan {
  readonly candidates: readonly AffordableCandidate[]
  readonly prepared: PreparedRequest
  /** The first model that was asked for, as errors name it. */
  readonly model: string
  /** So many requests may be sent. */
  readonly attemptsMax: number
  /** The credential that was shown when what it goes on from was made: it comes first. */
  readonly keptWith?: string | null | undefined
}

/**
 * Sends the request to the candidates in turn until one serves it or nothing is left to try: a full backend is passed over at no cost,
 * `attempts_max` counts requests sent, `dials_max` the dials that came to nothing. Rejects only for a bug.
 */
export function dispatch(house: House, call: Call, plan: DispatchPlan): Promise<DispatchEnd> {
  const ended = new Dispatch(house, call, plan).run() // first: what can be sent at once is on its way
  keepWarm(house, plan)
  return ended
}

/** Where a fallback may lead a connection is to be open already. */
function keepWarm(house: House, { candidates, attemptsMax }: DispatchPlan): void {
  for (let at = 0; at < candidates.length && at < attemptsMax; at++) {
    const candidate = candidates[at]
    if (candidate !== undefined) house.agents.of(candidate.offer.backend).keepWarm()
  }
}

const USEFUL_MS = 1000
const USEFUL_SHARE = 0.1

/** One request and its candidates: what was tried, and what may be tried still. */
class Dispatch {
  readonly #house: House
  readonly #call: Call
  readonly #plan: DispatchPlan
  #left: readonly AffordableCandidate[]
  #outcomes: Outcome[] = []
  #sent = 0
  #unsent = 0
  #waitedUs = 0
  #mayHaveRun = false
  /** Credentials that were refused or throttled already. */
  #troubled: readonly OperatorCredential[] = []
  readonly #denials = new Map<BackendId, number>()

  constructor(house: House, call: Call, plan: DispatchPlan) {
    this.#house = house
    this.#call = call
    this.#plan = plan
    this.#left = plan.candidates
  }

  async run(): Promise<DispatchEnd> {
    const call = this.#call
    const { attemptsMax } = this.#plan
    const { dialsMax } = call.settings.routing
    let isFull = false
    while (this.#left.length > 0 && this.#sent < attemptsMax && this.#unsent < dialsMax && !isFull) {
      const taking = takeSlot(this.#house, call, this.#left, this.#mayWaitMs())
      const found = taking instanceof Promise ? await this.#timed(taking) : taking
      const stopped = leaving(call)
      if (stopped !== null) {
        if (found !== null) this.#giveBack(found)
        return { kind: 'unserved', error: stopped, mayHaveRun: null, reported: null }
      }
      this.#notePassedOver(found)
      const taken = taking instanceof Promise ? this.#ifInTime(found) : found
      isFull = found === null && this.#left.length > 0
      const end = taken === null ? null : await this.#try(taken)
      if (end !== null) return end
      this.#left = this.#left.filter((other) => other !== taken?.candidate && this.#isUseful(other.offer))
    }
    return { kind: 'unserved', error: this.#finalError(isFull), mayHaveRun: null, reported: null }
  }

  /** Tries one candidate, with one credential after the other. Null when it did not serve and others may. */
  async #try(taken: Taken): Promise<DispatchEnd | null> {
    const { candidate, slot, claim } = taken
    const { prepared, attemptsMax } = this.#plan
    let isFree = (this.#denials.get(candidate.offer.backend.id) ?? 0) > 1
    let keepsSlot = false
    try {
      const credentials = this.#credentialsOf(candidate, claim)
      // By number: leaving `for … of` over a list early, in an async function, leaves the compiled code with each request (JavaScriptCore).
      for (let at = 0; at < credentials.length; at++) {
        const credential = credentials[at] ?? null
        if (this.#isOutNow(candidate)) break
        const trying = { candidate, prepared, credential, slot, claim }
        const end = await this.#attempt(trying)
        if (end.kind !== 'ended') keepSession(this.#house, this.#call, this.#plan.candidates, candidate)
        if (end.kind === 'streaming') {
          keepsSlot = true
          const sent = { claim, offer: candidate.offer.id, accountId: this.#call.accountId ?? '', credential }
          return { kind: 'streaming', candidate, facts: prepared.facts, live: end.live, slot, sent }
        }
        if (end.kind === 'answered') return { kind: 'answered', candidate, reply: end.reply, credential }
        this.#count(end, isFree)
        if (prepared.upload?.hasBegun) {
          this.#left = [] // what was passed on is gone
          return this.#goOn(candidate, end)
        }
        if (end.consequence.next !== 'next_credential') {
          this.#leaveOwn(candidate)
          return this.#goOn(candidate, end)
        }
        if (credential !== null) this.#troubled = [...this.#troubled, credential]
        // However many credentials are refused at a backend, changing them counts as one attempt.
        isFree = end.outcome.kind === 'denied' && this.#countDenial(candidate) > 1
        if (!isFree && this.#sent >= attemptsMax) break
        if (!this.#isUseful(candidate.offer)) break
      }
    } finally {
      if (keepsSlot) this.#house.health.release(claim)
      else this.#giveBack(taken)
    }
    return null
  }

  /** One request at a time finds out whether an own credential that was in fault serves again. */
  #attempt(trying: Trying): ReturnType<typeof recordedAttempt> {
    const { health } = this.#house
    const { own } = trying.candidate
    const endTrial = own !== undefined && health.beginOwnTrial(own) ? () => health.endOwnTrial(own) : null
    const ended = recordedAttempt(this.#house, this.#call, trying)
    return endTrial === null ? ended : ended.finally(endTrial)
  }

  /** The slot last: who is offered it may have the next trial. */
  #giveBack({ slot, claim }: Taken): void {
    this.#house.health.release(claim)
    slot.agent.release(slot)
  }

  /** What follows an attempt that did not serve. */
  #goOn(candidate: AffordableCandidate, { outcome, sent, consequence }: Failure): DispatchEnd | null {
    const call = this.#call
    const { stream, isBinary } = this.#plan.prepared.facts
    const isPlain = !stream && !isBinary
    switch (consequence.next) {
      case 'stop': {
        const error = leftAfter(call, sent) ?? this.#plan.prepared.upload?.fault ?? this.#finalError(false)
        return { kind: 'unserved', error, mayHaveRun: sent ? candidate : null, reported: null }
      }
      case 'return': {
        const usage = outcome.kind === 'refused' ? outcome.usage : null
        const reported = usage === null ? null : { candidate, usage }
        return { kind: 'unserved', error: this.#finalError(false), mayHaveRun: null, reported }
      }
      case 'next_unless_plain':
        if (isPlain && !call.settings.replies.repeatPlainTimeouts) this.#left = []
        break
      case 'larger_context':
        this.#left = this.#left.filter(({ offer }) => mayTakeMore(offer, candidate.offer))
        break
    }
    return null
  }

  /** How often a credential was refused at its backend. */
  #countDenial({ offer: { backend } }: AffordableCandidate): number {
    const count = (this.#denials.get(backend.id) ?? 0) + 1
    this.#denials.set(backend.id, count)
    return count
  }

  /** Another credential of the account makes no difference to what is wrong at the backend. */
  #leaveOwn({ offer, own }: AffordableCandidate): void {
    if (own !== undefined) this.#left = this.#left.filter((other) => other.own === undefined || other.offer !== offer)
  }

  #count({ outcome, sent }: Failure, isFree: boolean): void {
    this.#outcomes.push(outcome)
    if (outcome.kind === 'failed' && sent) this.#mayHaveRun = true
    if (outcome.kind === 'unsent') this.#unsent++
    else if (!isFree) this.#sent++
  }

  /** Those that may be used, in their order, without those that gave trouble at another backend of it, as long as others are left. */
  #credentialsOf({ own }: AffordableCandidate, claim: Claim): readonly (OperatorCredential | null)[] {
    if (own !== undefined) return [own]
    const credentials = this.#inOrder(this.#house.health.credentials(claim))
    if (credentials.length === 0) return NO_CREDENTIAL
    if (this.#troubled.length === 0) return credentials
    const fresh = credentials.filter((credential) => !this.#troubled.includes(credential))
    return fresh.length > 0 ? fresh : credentials
  }

  #inOrder(credentials: readonly OperatorCredential[]): readonly OperatorCredential[] {
    const { keptWith } = this.#plan
    if (keptWith === undefined || keptWith === null || credentials.length < 2) return credentials
    return credentials.toSorted((one, other) => Number(other.id === keptWith) - Number(one.id === keptWith))
  }

  /** A request waits `queue_ms` in all, however often it waits, and no longer than one of those that are left could answer in time. */
  #mayWaitMs(): number {
    let usefulMs = 0
    for (const { offer } of this.#left) usefulMs = Math.max(usefulMs, offer.limits.totalMs - leastUsefulMs(offer))
    const queueMs = this.#call.settings.routing.queueMs - this.#waitedUs / 1000
    return Math.min(queueMs, usefulMs - this.#call.clock.elapsedUs() / 1000)
  }

  async #timed(waiting: Promise<Taken | null>): Promise<Taken | null> {
    const startedUs = this.#call.clock.elapsedUs()
    const taken = await waiting
    this.#waitedUs += this.#call.clock.elapsedUs() - startedUs
    return taken
  }

  /** After a wait: with hardly any of its time left a candidate would be sent what it cannot answer. Its slot is given back then. */
  #ifInTime(found: Taken | null): Taken | null {
    this.#left = this.#left.filter(({ offer }) => this.#isUseful(offer))
    if (found === null || this.#left.includes(found.candidate)) return found
    this.#giveBack(found)
    return null
  }

  /** Writes down who was passed over: those before the one whose slot was taken, or all. */
  #notePassedOver(taken: Taken | null): void {
    if (taken !== null && taken.candidate === this.#left[0]) return
    const at = taken === null ? this.#left.length : this.#left.indexOf(taken.candidate)
    const known = this.#call.skips
    const skips = this.#left
      .slice(0, at)
      .map((candidate) => passedOver(this.#house, candidate))
      .filter(
        (skip) =>
          !known.some(
            (other) => other.rule === skip.rule && other.offer === skip.offer && other.credential === skip.credential,
          ),
      )
    this.#call.skips = [...known, ...skips]
  }

  /** A backend may be taken out between the claim and the sending: while a waiter wakes, or after a credential was refused. */
  #isOutNow(candidate: AffordableCandidate): boolean {
    const { own } = candidate
    const isInTrouble = own !== undefined && this.#house.health.ownFault(own) !== null
    if (!isInTrouble && chanceOf(this.#house, candidate) !== 'out') return false
    this.#call.skips = [...this.#call.skips, passedOver(this.#house, candidate)]
    return true
  }

  /** How long none of those that are left may be sent anything; null when one may, or would be if it were not full. */
  #outMs(): number | null {
    const { health, clock } = this.#house
    let outMs = Number.POSITIVE_INFINITY
    for (const candidate of this.#left) {
      if (chanceOf(this.#house, candidate) === 'free') return null
      const untilMs = health.exclusion(candidate.offer.backend.id)?.untilMs ?? clock.wallMs() + TRIAL_MS
      outMs = Math.min(outMs, untilMs - clock.wallMs())
    }
    return outMs
  }

  /** What is left of its time lets it answer. */
  #isUseful(offer: Offer): boolean {
    return offer.limits.totalMs - this.#call.clock.elapsedUs() / 1000 >= leastUsefulMs(offer)
  }

  #finalError(isFull: boolean) {
    return finalError({
      model: this.#plan.model,
      outcomes: this.#outcomes,
      isOwn: this.#plan.candidates.every(({ own }) => own !== undefined),
      attempts: this.#call.attempts,
      hasUntried: this.#left.length > 0,
      isFull,
      staysHome: this.#call.skips.some(({ rule }) => rule === 'sovereignty'),
      outMs: isFull ? this.#outMs() : null,
      mayHaveRun: this.#mayHaveRun,
      settings: this.#call.settings.replies,
    })
  }
}

/** In less than that it answers nobody: a second, or a tenth of a total that is shorter than ten. */
const leastUsefulMs = ({ limits: { totalMs } }: Offer): number => Math.min(USEFUL_MS, totalMs * USEFUL_SHARE)

const NO_CREDENTIAL: readonly null[] = [null]
const TRIAL_MS = 1000 // what a trial takes, as far as anybody knows

/** Unknown is not known to be too small. */
const mayTakeMore = (offer: Offer, than: Offer): boolean =>
  offer.contextTokensMax === null || than.contextTokensMax === null || offer.contextTokensMax > than.contextTokensMax
