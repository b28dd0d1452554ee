import type { CredentialFault, Outcome, OwnSecret, QuarantineSettings } from '../domain/index.ts'
import { forgetOldest, inSteadyTime, inWallTime, type Random, type SteadyClock } from '../lib/index.ts'
import type { Writer } from '../store/index.ts'
import type { Log } from '../telemetry/index.ts'
import { type BackOff, failureBackOff, throttleBackOff } from './back-off.ts'
import { DENIED_FOR_CERTAIN, evidenceOf } from './evidence-of.ts'

export interface OwnFaultsOptions {
  readonly writer: Pick<Writer, 'foundFault'>
  readonly steady: SteadyClock
  readonly random: Pick<Random, 'fraction'>
  readonly settings: () => QuarantineSettings
  readonly log: Pick<Log, 'warn' | 'info'>
}

/**
 * What requests say against the credentials that accounts bring themselves. Whatever goes wrong with one is told of itself alone: neither a
 * backend nor the operator's credentials are in doubt for it. Each change goes to the disk, which nobody waits for.
 */
export class OwnFaults {
  readonly #options: OwnFaultsOptions
  readonly #known = new Map<string, Known>()
  readonly #trials = new Set<string>()

  constructor(options: OwnFaultsOptions) {
    this.#options = options
  }

  /** Why it is not to be used now, in steady time: also while another request tries it after its time of waiting. Null when it may be. */
  of(credential: OwnSecret): CredentialFault | null {
    const fault = this.#faultOf(credential)
    if (fault === null) return null
    return this.#trials.has(credential.id) || isNow(fault, this.#options.steady.nowMs()) ? fault : null
  }

  /** A request goes out with it: when its time of waiting is over, the one that may find out whether it serves again. False: there is nothing to find out. */
  beginTrial(credential: OwnSecret): boolean {
    if (this.#faultOf(credential) === null) return false
    this.#trials.add(credential.id)
    return true
  }

  endTrial({ id }: OwnSecret): void {
    this.#trials.delete(id)
  }

  /** It served. What was said against it since that request began stays. */
  accepted(credential: OwnSecret): void {
    const known = this.#known.get(credential.id)
    if (known?.sealed === credential.sealed) known.streak = 0
    const fault = this.#faultOf(credential)
    if (fault === null || isNow(fault, this.#options.steady.nowMs())) return
    this.#put(credential, { fault: null, backoffMs: null, streak: 0 })
    this.#options.log.info('own_credential_proved', { credential: credential.id, account_id: credential.accountId })
  }

  /** At once for what its provider says of it for certain, after as many failures in a row as take a backend out for all else. */
  blamed(credential: OwnSecret, outcome: Outcome): void {
    const { steady, settings } = this.#options
    const nowMs = steady.nowMs()
    const before = this.#faultOf(credential)
    if (before !== null && isNow(before, nowMs)) return // one of those that were under way
    const { streak, backoffMs } = this.#knownOf(credential)
    const isCertain =
      before !== null ||
      outcome.kind === 'throttled' ||
      (outcome.kind === 'denied' && DENIED_FOR_CERTAIN.has(outcome.error.status))
    if (!isCertain && streak + 1 < settings().failures) {
      this.#keep(credential, { fault: null, backoffMs, streak: streak + 1 })
      return
    }
    const wait = this.#waitOf(outcome, before === null ? null : (backoffMs ?? lengthOf(before)))
    const cause = outcome.kind === 'throttled' || outcome.kind === 'denied' ? outcome.kind : 'failures'
    const sinceMs = before?.sinceMs ?? nowMs
    const fault = { cause, reason: evidenceOf(outcome), sinceMs, untilMs: nowMs + wait.waitMs }
    this.#put(credential, { fault, backoffMs: wait.backoffMs, streak: 0 })
    this.#tell(credential, fault, wait.waitMs)
  }

  #waitOf(outcome: Outcome, previousMs: number | null): BackOff {
    const { settings, random } = this.#options
    return outcome.kind === 'throttled'
      ? throttleBackOff(previousMs, outcome.retryAfterMs, settings(), random)
      : failureBackOff(previousMs, settings(), random)
  }

  /** What memory knows is newer than what was read; of another secret it knows nothing. */
  #faultOf(credential: OwnSecret): CredentialFault | null {
    const known = this.#known.get(credential.id)
    if (known?.sealed === credential.sealed) return known.fault
    return credential.fault === null ? null : this.#knownOf(credential).fault
  }

  #knownOf(credential: OwnSecret): Known {
    const known = this.#known.get(credential.id)
    if (known?.sealed === credential.sealed) return known
    return this.#keep(credential, { fault: this.#asRead(credential.fault), backoffMs: null, streak: 0 })
  }

  /** In steady time. A clock that was set back while no process ran must not make it last longer than it was meant to. */
  #asRead(fault: CredentialFault | null): CredentialFault | null {
    if (fault === null) return null
    const { steady, settings } = this.#options
    const read = inSteadyTime(steady, fault)
    const latestMs = steady.nowMs() + settings().cooldownMaxMs
    return read.untilMs === null ? read : { ...read, untilMs: Math.min(read.untilMs, latestMs) }
  }

  #put(credential: OwnSecret, known: Omit<Known, 'sealed'>): void {
    const { writer, steady } = this.#options
    const { id, sealed } = credential
    const { fault } = this.#keep(credential, known)
    writer.foundFault({ id, sealed, fault: fault === null ? null : inWallTime(steady, fault) })
  }

  /** The oldest make room: what the disk has of them is read again with their account. */
  #keep({ id, sealed }: OwnSecret, known: Omit<Known, 'sealed'>): Known {
    const kept = { ...known, sealed }
    this.#known.delete(id) // the newest comes last
    this.#known.set(id, kept)
    forgetOldest(this.#known, KNOWN_MAX)
    return kept
  }

  #tell({ id, accountId, provider }: OwnSecret, { cause, reason }: CredentialFault, waitMs: number): void {
    this.#options.log.warn('own_credential_out', {
      credential: id,
      account_id: accountId,
      provider,
      cause,
      for_ms: waitMs,
      evidence: reason,
    })
  }
}

const KNOWN_MAX = 100_000

interface Known {
  readonly sealed: string
  /** In steady time. */
  readonly fault: CredentialFault | null
  /** What the next time of waiting is doubled from. */
  readonly backoffMs: number | null
  /** Failures in a row that prove nothing yet. */
  streak: number
}

const isNow = ({ untilMs }: CredentialFault, nowMs: number): boolean => untilMs === null || untilMs > nowMs

/** After a restart: how long it waited in all is as near as is known. */
const lengthOf = ({ sinceMs, untilMs }: CredentialFault): number | null =>
  untilMs === null ? null : Math.max(1, untilMs - sinceMs)
