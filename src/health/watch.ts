import type { Backend, QuarantineSettings } from '../domain/index.ts'
import { forgetOldest } from '../lib/index.ts'
import { OutcomeWindow } from './outcome-window.ts'

/** The right to send a backend one request now. It is given back when nothing more is sent with it. */
export interface Claim {
  readonly backend: Backend
  /** It is the one request that a half-open backend gets. */
  readonly isTrial: boolean
  /** How often the backend's causes had changed: what began before a cause says nothing against or for it. */
  readonly number: number
}

/** One failure of a backend. */
export interface CountedFailure {
  readonly accountId: string
  /** It could not even be reached: no request can be the reason. */
  readonly isConnection: boolean
}

/** `open`: the backend is out. `cool`: for this account alone. */
export type Verdict = 'counted' | 'cool' | 'open'

/** What is remembered of one backend in this process: counts, and who has its trial. A success costs a few numbers. */
export class Watch {
  /** Counts the changes of its causes. */
  number = 0
  failuresAt = 0
  /** When its failures were over: what was sent before may fail late, and says nothing against it any more. */
  provedAt = 0
  throttleAt = 0
  readonly credentialsAt = new Map<string, number>()
  trial: Claim | null = null
  /** It could not be reached when it was last blamed: any answer proves that it is there again. */
  isUnreachable = false
  probedAtMs = Number.NEGATIVE_INFINITY
  readonly trialListeners = new Set<() => void>()

  #claim: Claim | null = null
  #window: OutcomeWindow | null = null
  #streak = 0
  #streakBy = ''
  #streakIsShared = false
  #streakHasConnection = false
  readonly #troubles = new Map<string, Trouble>()
  readonly #denials = new Map<string, Denials>()
  readonly #timeoutsAtMs = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  /** The account that was served or failed here last, when that was, and when another was last. */
  #account = ''
  #accountAtMs = Number.NEGATIVE_INFINITY
  #otherAtMs = Number.NEGATIVE_INFINITY

  /** What is sent to a backend that is in: the same for all who ask, until something changes. */
  openClaim(backend: Backend): Claim {
    let claim = this.#claim
    if (claim === null || claim.number !== this.number || claim.backend !== backend) {
      claim = { backend, isTrial: false, number: this.number }
      this.#claim = claim
    }
    return claim
  }

  beginTrial(backend: Backend): Claim {
    this.trial = { backend, isTrial: true, number: this.number }
    return this.trial
  }

  endTrial(): void {
    this.trial = null
    for (const listener of [...this.trialListeners]) listener()
  }

  succeeded(nowMs: number, accountId: string, settings: QuarantineSettings): void {
    this.#see(accountId, nowMs)
    this.#windowOf(settings).add(nowMs, false)
    this.#streak = 0
    if (this.#troubles.size > 0) this.#easeTrouble(nowMs, accountId)
  }

  failed(nowMs: number, { accountId, isConnection }: CountedFailure, settings: QuarantineSettings): Verdict {
    this.#see(accountId, nowMs)
    this.#countStreak(accountId, isConnection)
    const window = this.#windowOf(settings)
    window.add(nowMs, true)
    const trouble = this.#troubleOf(accountId, settings)
    trouble.streak++
    trouble.window.add(nowMs, true)
    const all = window.read(nowMs)
    const own = trouble.window.read(nowMs)
    const isStreak = this.#streak >= settings.failures
    const isRate = isMostly(all, settings)
    const isOwn = trouble.streak >= settings.failures || isMostly(own, settings)
    if (!isStreak && !isRate && !isOwn) return 'counted'
    const others = { ended: all.ended - own.ended, failed: all.failed - own.failed }
    const isShared =
      (isStreak && this.#streakIsShared) ||
      (isRate && others.failed > 0 && others.failed >= settings.rate * others.ended)
    if (isShared || this.#streakHasConnection || this.#isSole(nowMs, settings)) return 'open'
    return isOwn ? 'cool' : 'counted'
  }

  /** Whether this timeout of a request that was sent whole is one of the first two within the window: one slow answer is no failure yet. */
  forgivesTimeout(nowMs: number, { windowMs }: QuarantineSettings): boolean {
    const beforeLastMs = this.#timeoutsAtMs.shift() ?? nowMs
    this.#timeoutsAtMs.push(nowMs)
    return nowMs - beforeLastMs > windowMs
  }

  /** Whether a credential was denied so often in a row, and to more than one account where there are several, that it must be its fault. */
  denied(nowMs: number, credentialId: string, accountId: string, settings: QuarantineSettings): boolean {
    this.#see(accountId, nowMs)
    const before = this.#denials.get(credentialId)
    const denials =
      before === undefined
        ? { streak: 1, by: accountId, isShared: false }
        : { streak: before.streak + 1, by: accountId, isShared: before.isShared || before.by !== accountId }
    this.#denials.set(credentialId, denials)
    return denials.streak >= settings.failures && (denials.isShared || this.#isSole(nowMs, settings))
  }

  accepted(credentialId: string): void {
    if (this.#denials.size > 0) this.#denials.delete(credentialId)
  }

  /** How many failures there were within the window and in a row. */
  counts(nowMs: number, accountId: string): { readonly count: number; readonly streak: number } {
    const streak = Math.max(this.#streak, this.#troubles.get(accountId)?.streak ?? 0)
    return { count: Math.max(streak, this.#window?.read(nowMs).failed ?? 0), streak }
  }

  /** Its failures are over. */
  beginAnew(): void {
    this.provedAt = ++this.number
    this.forget()
  }

  /** What was counted has led to a cause, or was refuted. */
  forget(): void {
    this.#window = null
    this.#streak = 0
    this.#troubles.clear()
    this.#denials.clear()
  }

  /** Whether only one account was active within the window. */
  #isSole(nowMs: number, { windowMs }: QuarantineSettings): boolean {
    return nowMs - this.#otherAtMs > windowMs
  }

  #see(accountId: string, nowMs: number): void {
    if (this.#account !== accountId) {
      if (this.#account !== '') this.#otherAtMs = this.#accountAtMs
      this.#account = accountId
    }
    this.#accountAtMs = nowMs
  }

  #countStreak(accountId: string, isConnection: boolean): void {
    if (this.#streak === 0) {
      this.#streakIsShared = false
      this.#streakHasConnection = false
    } else if (this.#streakBy !== accountId) this.#streakIsShared = true
    this.#streakBy = accountId
    this.#streak++
    if (isConnection) this.#streakHasConnection = true
  }

  #windowOf({ windowMs }: QuarantineSettings): OutcomeWindow {
    if (this.#window?.windowMs === windowMs) return this.#window
    this.#window = new OutcomeWindow(windowMs)
    return this.#window
  }

  #troubleOf(accountId: string, { windowMs }: QuarantineSettings): Trouble {
    const known = this.#troubles.get(accountId)
    if (known?.window.windowMs === windowMs) return known
    const trouble = { streak: 0, window: new OutcomeWindow(windowMs) }
    this.#troubles.set(accountId, trouble)
    forgetOldest(this.#troubles, TROUBLES_MAX)
    return trouble
  }

  #easeTrouble(nowMs: number, accountId: string): void {
    const trouble = this.#troubles.get(accountId)
    if (trouble === undefined) return
    trouble.streak = 0
    trouble.window.add(nowMs, false)
    if (trouble.window.read(nowMs).failed === 0) this.#troubles.delete(accountId)
  }
}

const TROUBLES_MAX = 1000 // accounts that fail at one backend at once

/** What one account met here since its first failure. */
interface Trouble {
  streak: number
  readonly window: OutcomeWindow
}

interface Denials {
  readonly streak: number
  readonly by: string
  readonly isShared: boolean
}

const isMostly = (
  { ended, failed }: { readonly ended: number; readonly failed: number },
  { rate, windowMin }: QuarantineSettings,
): boolean => ended >= windowMin && failed >= rate * ended
