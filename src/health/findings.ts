import {
  type Backend,
  type BackendId,
  type CredentialCause,
  type FailureCause,
  hadNoRoom,
  isOwn,
  type Outcome,
  type QuarantineSettings,
} from '../domain/index.ts'
import type { Random, SteadyClock } from '../lib/index.ts'
import type { Log } from '../telemetry/index.ts'
import { type BackOff, failureBackOff, throttleBackOff } from './back-off.ts'
import type { AttemptReport, ProbeEnd, SentWith } from './contract.ts'
import type { Coolings } from './coolings.ts'
import { credentialMark } from './credential-mark.ts'
import { DENIED_FOR_CERTAIN, evidenceOf } from './evidence-of.ts'
import { causeOfCredential } from './exclusion-of.ts'
import type { OwnFaults } from './own-faults.ts'
import type { Rows } from './rows.ts'
import type { Claim, Watch } from './watch.ts'

export interface FindingsOptions {
  readonly rows: Rows
  readonly coolings: Coolings
  readonly ownFaults: OwnFaults
  readonly watches: { of(backend: BackendId): Watch }
  readonly steady: SteadyClock
  readonly random: Pick<Random, 'fraction'>
  readonly settings: () => QuarantineSettings
  readonly log: Pick<Log, 'info' | 'warn'>
}

const EVIDENCE_CHARS_MAX = 300

/** What attempts and probes say of a backend: opens its causes, makes them longer, ends them. */
export class Findings {
  readonly #options: FindingsOptions

  constructor(options: FindingsOptions) {
    this.#options = options
  }

  attemptEnded(report: AttemptReport): void {
    const { blame, outcome, accountId, claim, credential } = report
    if (blame === 'nobody' || hadNoRoom(outcome)) return
    if (credential !== null && isOwn(credential)) {
      if (blame === 'cleared') this.contentBegan(report)
      else this.#options.ownFaults.blamed(credential, outcome)
      return
    }
    const watch = this.#watch(claim)
    if (blame === 'cleared') {
      watch.succeeded(this.#options.steady.nowMs(), accountId, this.#options.settings())
      this.contentBegan(report)
    } else if (blame === 'credential' && credential !== null) this.#blameCredential(report, watch)
    else if (outcome.kind === 'throttled') this.#throttle(report.claim, evidenceOf(outcome), outcome.retryAfterMs)
    else this.#fail(report, watch)
  }

  /** Ends what was found out before the attempt began. */
  contentBegan({ claim, accountId, credential: shown }: SentWith): void {
    const own = shown !== null && isOwn(shown) ? shown : null
    if (own !== null) this.#options.ownFaults.accepted(own)
    const credential = own === null ? shown : null // the operator's are neither proved nor blamed by an own one
    const { id } = claim.backend
    const watch = this.#watch(claim)
    if (credential !== null) watch.accepted(credential.id)
    const { coolings } = this.#options
    if (coolings.of(accountId).has(id)) coolings.clear(id, accountId)
    const row = this.#options.rows.all.get(id)
    if (row === undefined) return
    const failures = claim.number >= watch.failuresAt ? null : row.failures
    const throttle = claim.number >= watch.throttleAt ? null : row.throttle
    const isProved = (cause: CredentialCause) =>
      cause.credential === credential?.id && claim.number >= (watch.credentialsAt.get(cause.credential) ?? 0)
    const credentials = row.credentials.filter((cause) => !isProved(cause))
    const isChanged =
      failures !== row.failures || throttle !== row.throttle || credentials.length < row.credentials.length
    if (isChanged) this.#end(claim, { failures, throttle, credentials })
  }

  probeEnded(claim: Claim, end: ProbeEnd): void {
    const { rows, coolings, steady } = this.#options
    const { id } = claim.backend
    const row = rows.of(id)
    const watch = this.#watch(claim)
    if (end.kind === 'failed') {
      const isNews =
        row.failures === null ? coolings.at(id, steady.nowMs()).length > 0 : claim.number >= watch.failuresAt
      if (isNews) this.#openFailures(claim, { ...end, lastStatus: null, accountId: '' })
      return
    }
    const { credential, status } = end
    const cause = credential === null ? undefined : causeOfCredential(row, credential)
    const credentials =
      cause?.lastStatus === 401 && status < 300 ? row.credentials.filter((other) => other !== cause) : row.credentials
    const failures = watch.isUnreachable && claim.number >= watch.failuresAt ? null : row.failures
    if (failures !== row.failures || credentials !== row.credentials)
      this.#end(claim, { failures, throttle: row.throttle, credentials })
  }

  #fail({ claim, accountId, outcome, sent }: AttemptReport, watch: Watch): void {
    const { rows, steady, settings } = this.#options
    const { id } = claim.backend
    const row = rows.of(id)
    const isConnection = outcome.kind === 'unsent'
    const failure = { accountId, isConnection, message: evidenceOf(outcome), lastStatus: statusOf(outcome) }
    const nowMs = steady.nowMs()
    if (row.failures !== null) {
      if (claim.number >= watch.failuresAt) this.#openFailures(claim, failure) // its trial
      return
    }
    if (claim.number < watch.provedAt && !claim.isTrial) return
    if (isTimeoutAfterSending(outcome, sent) && watch.forgivesTimeout(nowMs, settings()) && !claim.isTrial) return
    if (row.throttle !== null && claim.isTrial) this.#throttle(claim, failure.message, null)
    const verdict = watch.failed(nowMs, { accountId, isConnection }, settings())
    if (verdict === 'open') this.#openFailures(claim, failure)
    else if (verdict === 'cool') this.#cool(claim, failure)
  }

  #openFailures(claim: Claim, failure: Failure): void {
    const { rows, coolings, steady } = this.#options
    const { id } = claim.backend
    const nowMs = steady.nowMs()
    const watch = this.#watch(claim)
    const before = rows.of(id).failures
    const wait = this.#backOff(before)
    const counts = before ?? watch.counts(nowMs, failure.accountId)
    const more = before === null ? 0 : 1
    const failures: FailureCause = {
      sinceMs: before?.sinceMs ?? nowMs,
      untilMs: nowMs + wait.waitMs,
      backoffMs: wait.backoffMs,
      count: counts.count + more,
      streak: counts.streak + more,
      lastStatus: failure.lastStatus,
      evidence: failure.message.slice(0, EVIDENCE_CHARS_MAX),
    }
    watch.isUnreachable = failure.isConnection
    watch.forget()
    watch.failuresAt = ++watch.number
    coolings.clear(id)
    rows.put(id, { failures })
    this.#tell(claim.backend, { cause: 'failures', ...failures })
  }

  /** The one account leaves it alone; the others go on. */
  #cool({ backend }: Claim, { accountId, message }: Failure): void {
    const { coolings, steady, log } = this.#options
    const nowMs = steady.nowMs()
    const before = coolings.of(accountId).get(backend.id)
    if (before !== undefined && before.untilMs > nowMs) return
    const { waitMs, backoffMs } = this.#backOff(before ?? null)
    const evidence = message.slice(0, EVIDENCE_CHARS_MAX)
    coolings.set(accountId, backend.id, { sinceMs: nowMs, untilMs: nowMs + waitMs, backoffMs, evidence })
    log.warn('backend_cooling', { backend: backend.id, account_id: accountId, for_ms: waitMs, evidence })
  }

  #throttle(claim: Claim, evidence: string, retryAfterMs: number | null): void {
    const { rows, steady } = this.#options
    const { id } = claim.backend
    const watch = this.#watch(claim)
    const before = rows.of(id).throttle
    if (before !== null && claim.number < watch.throttleAt) {
      const longer = this.#longer(before, retryAfterMs)
      if (longer !== null) rows.put(id, { throttle: longer })
      return
    }
    const { waitMs, backoffMs, source } = this.#throttledFor(before, retryAfterMs)
    const nowMs = steady.nowMs()
    const sinceMs = before?.sinceMs ?? nowMs
    watch.throttleAt = ++watch.number
    const throttle = { sinceMs, untilMs: nowMs + waitMs, backoffMs, source, evidence }
    rows.put(id, { throttle })
    this.#tell(claim.backend, { cause: 'throttle', ...throttle })
  }

  /** Only what its provider says of the credential itself. */
  #blameCredential({ claim, credential, outcome, accountId }: AttemptReport, watch: Watch): void {
    if (credential === null || (outcome.kind !== 'denied' && outcome.kind !== 'throttled')) return
    const { rows, steady, settings } = this.#options
    const { id } = claim.backend
    const nowMs = steady.nowMs()
    const row = rows.of(id)
    const before = causeOfCredential(row, credential)
    const others = row.credentials.filter((other) => other.credential !== credential.id)
    const isDenied = outcome.kind === 'denied'
    if (before !== undefined && claim.number < (watch.credentialsAt.get(credential.id) ?? 0)) {
      const longer = isDenied ? null : this.#longer(before, outcome.retryAfterMs)
      if (longer !== null) rows.put(id, { credentials: [...others, longer] })
      return
    }
    const isCertain = !isDenied || DENIED_FOR_CERTAIN.has(outcome.error.status) || before !== undefined
    if (!isCertain && !watch.denied(nowMs, credential.id, accountId, settings())) return
    const past = before ?? null
    const { waitMs, ...wait } = isDenied ? this.#backOff(past) : this.#throttledFor(past, outcome.retryAfterMs)
    const cause: CredentialCause = {
      credential: credential.id,
      mark: credentialMark(credential),
      kind: outcome.kind,
      sinceMs: before?.sinceMs ?? nowMs,
      untilMs: nowMs + waitMs,
      lastStatus: outcome.error.status,
      evidence: evidenceOf(outcome),
      ...wait,
    }
    watch.credentialsAt.set(credential.id, ++watch.number)
    rows.put(id, { credentials: [...others, cause] })
    this.#tell(claim.backend, { cause: 'credential', ...cause })
  }

  #backOff(before: { readonly backoffMs: number } | null): BackOff {
    const { settings, random } = this.#options
    return failureBackOff(before?.backoffMs ?? null, settings(), random)
  }

  #throttledFor(before: { readonly backoffMs: number } | null, namedMs: number | null): BackOff {
    const { settings, random } = this.#options
    return throttleBackOff(before?.backoffMs ?? null, namedMs, settings(), random)
  }

  /**
   * What one that was under way says of a cause that stands already: nothing, but that the provider wants to be left alone for longer. Null when it
   * does not.
   */
  #longer<Cause extends { readonly untilMs: number }>(cause: Cause, namedMs: number | null): Cause | null {
    const { steady, settings } = this.#options
    const untilMs = steady.nowMs() + Math.min(namedMs ?? 0, settings().cooldownMaxMs)
    return untilMs > cause.untilMs ? { ...cause, untilMs, source: 'retry_after' } : null
  }

  #end({ backend: { id } }: Claim, left: Pick<AllCauses, 'failures' | 'throttle' | 'credentials'>): void {
    const { rows, watches, log } = this.#options
    const watch = watches.of(id)
    if (rows.of(id).failures !== null && left.failures === null) watch.beginAnew()
    else {
      watch.number++
      watch.forget()
    }
    rows.put(id, left)
    log.info('backend_proved', { backend: id })
  }

  #watch({ backend }: Claim): Watch {
    return this.#options.watches.of(backend.id)
  }

  #tell({ id }: Backend, cause: Told): void {
    const { steady, log } = this.#options
    log.warn('backend_out', {
      backend: id,
      cause: cause.cause,
      credential: cause.credential,
      for_ms: cause.untilMs - steady.nowMs(),
      evidence: cause.evidence,
    })
  }
}

type AllCauses = ReturnType<Rows['of']>

interface Told {
  readonly cause: string
  readonly credential?: string
  readonly untilMs: number
  readonly evidence: string
}

interface Failure {
  readonly accountId: string
  readonly isConnection: boolean
  readonly message: string
  readonly lastStatus: number | null
}

const isTimeoutAfterSending = (outcome: Outcome, sent: boolean): boolean =>
  sent && outcome.kind === 'failed' && outcome.reason.endsWith('_timeout')

const statusOf = (outcome: Outcome): number | null =>
  outcome.kind === 'failed' ? outcome.status : 'error' in outcome ? outcome.error.status : null
