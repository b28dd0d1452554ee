import {
  type Backend,
  type BackendId,
  backendOfOffer,
  type ObservedSlice,
  type OperatorCredential,
  type QuarantineRow,
  type QuarantineSettings,
  type StickyRow,
  type StickySettings,
} from '../domain/index.ts'
import { type Clock, createSteadyClock, inWallTime, type Random } from '../lib/index.ts'
import type { Writer } from '../store/index.ts'
import type { Log } from '../telemetry/index.ts'
import type { Health } from './contract.ts'
import { Coolings } from './coolings.ts'
import { causeOfCredential, exclusionOf, standingOf } from './exclusion-of.ts'
import { Findings } from './findings.ts'
import { Observed } from './observed.ts'
import { operatorOrders } from './operator-orders.ts'
import { OwnFaults } from './own-faults.ts'
import { Rows } from './rows.ts'
import { StickySessions } from './sticky-sessions.ts'
import type { Claim } from './watch.ts'
import { Watches } from './watches.ts'

export interface HealthOptions {
  /** All there are on disk, just loaded. */
  readonly rows: readonly QuarantineRow[]
  readonly observed?: readonly ObservedSlice[]
  /** In the order of their use. */
  readonly sticky?: readonly StickyRow[]
  readonly writer: Pick<Writer, 'setOperatorCause' | 'clearQuarantine' | 'foundCauses' | 'foundFault'>
  readonly clock: Clock
  readonly random: Pick<Random, 'fraction'>
  readonly log: Pick<Log, 'info' | 'warn'>
  /** The newest. */
  readonly settings: () => QuarantineSettings
  readonly stickiness: () => StickySettings
  readonly backends: () => Backends
}

/** Makes the room over the rows that were loaded: from then on they are in memory, and a request reads nothing. */
export function createHealth(options: HealthOptions): Health {
  const steady = createSteadyClock(options.clock)
  const { writer, random, log, settings, clock } = options
  const { cooldownMaxMs } = settings()
  const rows = new Rows({ loaded: options.rows, writer, steady, cooldownMaxMs })
  const coolings = new Coolings()
  const watches = new Watches()
  const credentialsOf = (backend: BackendId) => options.backends().get(backend)?.provider.credentials ?? []
  /** What comes of a place where the backend stands no more says nothing of the backend. */
  const isThere = ({ backend }: Claim): boolean => {
    const now = options.backends().get(backend.id)
    return now === undefined || now === backend || now.baseUrl === backend.baseUrl
  }
  const ownFaults = new OwnFaults({ writer, steady, random, settings, log })
  const findings = new Findings({ rows, coolings, ownFaults, watches, steady, random, settings, log })
  const observed = new Observed(steady.nowMs, options.observed)
  const sessions = new StickySessions({
    kept: options.sticky ?? [],
    nowMs: steady.nowMs,
    lifeMs: () => options.stickiness().lifeMs,
    sessionsMax: SESSIONS_MAX,
  })
  return {
    nowMs: steady.nowMs,
    quarantine: () => rows.all,
    coolings: (accountId) => coolings.of(accountId),
    ownFault: (credential) => ownFaults.of(credential),
    beginOwnTrial: (credential) => ownFaults.beginTrial(credential),
    endOwnTrial: (credential) => ownFaults.endTrial(credential),
    triesLeastBad: () => settings().leastBad,
    observed: () => observed.snapshot(),
    observedOf: (offers) => observed.ofAll(offers),
    sessions,
    takeLearned: (offersMax, sessionsMax) => ({
      forgotten: observed.takeForgotten(),
      observed: observed.takeChanged(offersMax),
      sticky: sessions.takeChanged(sessionsMax),
    }),
    ...forDispatch({ rows, watches, findings, observed, isThere, nowMs: steady.nowMs }),
    ...forProbes({ rows, watches, findings, coolings, settings, isThere, nowMs: steady.nowMs }),
    exclusion(backend) {
      const row = rows.all.get(backend)
      return row === undefined ? null : exclusionOf(rows.inWallTime(row), credentialsOf(backend), clock.wallMs())
    },
    stateOf: (backend) => standingOf(rows.all.get(backend), credentialsOf(backend), steady.nowMs()).kind,
    rows: () =>
      [...rows.all.values()]
        .map((row) => withoutEnded(row, steady.nowMs()))
        .filter(hasCause)
        .map((row) => rows.inWallTime(row)),
    coolingsAt: (backend) => coolings.at(backend, steady.nowMs()).map((cooling) => inWallTime(steady, cooling)),
    replaced(before, after) {
      for (const backend of after.keys()) {
        if (!isElsewhere(backend, before, after)) continue
        if (rows.all.has(backend)) rows.put(backend, { failures: null, throttle: null, credentials: [] })
        coolings.clear(backend)
        watches.of(backend).beginAnew()
      }
      observed.forget((offer) => isElsewhere(backendOfOffer(offer), before, after))
    },
    ...operatorOrders({ writer, clock, rows, coolings, watches }),
  }
}

/** So many sessions stay with their backends at once: about 30 MB. */
export const SESSIONS_MAX = 50_000

type Backends = ReadonlyMap<BackendId, Backend>

/** Whether a backend is not where it was. */
const isElsewhere = (id: BackendId, before: Backends, after: Backends): boolean =>
  before.get(id)?.baseUrl !== after.get(id)?.baseUrl

interface Parts {
  readonly rows: Rows
  readonly watches: Watches
  readonly findings: Findings
  readonly isThere: (claim: Claim) => boolean
  readonly nowMs: () => number
}

type ForDispatch = Pick<
  Health,
  'claim' | 'chanceOf' | 'release' | 'onTrialEnd' | 'credentials' | 'contentBegan' | 'attemptEnded'
>

function forDispatch({
  rows,
  watches,
  findings,
  observed,
  isThere,
  nowMs,
}: Parts & { readonly observed: Observed }): ForDispatch {
  /** `trial`: there is one to be had. */
  function chance(backend: Backend, leastBad: boolean, isOwn: boolean): 'open' | 'trial' | 'trial_running' | 'out' {
    const row = rows.all.get(backend.id)
    if (row === undefined || !hasCause(row)) return 'open'
    const standing = standingOf(row, isOwn ? [] : backend.provider.credentials, nowMs())
    if (standing.kind === 'out' && !(leastBad && standing.onlyFailures)) return 'out'
    const isFree = watches.of(backend.id).trial === null
    if (standing.kind === 'in') return !isOwn && isFree && hasUnproved(row, backend, nowMs()) ? 'trial' : 'open'
    return isFree ? 'trial' : 'trial_running'
  }
  return {
    claim(backend, leastBad, isOwn = false) {
      const which = chance(backend, leastBad, isOwn)
      if (which === 'out' || which === 'trial_running') return which
      const watch = watches.of(backend.id)
      return which === 'trial' ? watch.beginTrial(backend) : watch.openClaim(backend)
    },
    chanceOf(backend, leastBad, isOwn = false) {
      const which = chance(backend, leastBad, isOwn)
      return which === 'open' || which === 'trial' ? 'free' : which
    },
    release(claim) {
      const watch = watches.of(claim.backend.id)
      if (watch.trial === claim) watch.endTrial()
    },
    onTrialEnd(backend, listener) {
      const { trialListeners } = watches.of(backend)
      trialListeners.add(listener)
      return () => {
        trialListeners.delete(listener)
      }
    },
    credentials({ backend, isTrial }) {
      const { credentials } = backend.provider
      const row = rows.all.get(backend.id)
      if (row === undefined || row.credentials.length === 0) return credentials
      const usable = credentials.filter((credential) => {
        const cause = causeOfCredential(row, credential)
        return cause === undefined || (isTrial && cause.untilMs <= nowMs())
      })
      return usable.length > 0 ? usable : credentials
    },
    contentBegan(sent, firstContentUs) {
      if (!isThere(sent.claim)) return
      observed.contentBegan(sent, firstContentUs)
      findings.contentBegan(sent)
    },
    attemptEnded(report) {
      if (!isThere(report.claim)) return
      observed.attemptEnded(report)
      findings.attemptEnded(report)
    },
  }
}

interface ProbeParts extends Parts {
  readonly coolings: Coolings
  readonly settings: () => QuarantineSettings
}

type ForProbes = Pick<Health, 'probesDue' | 'probeCredential' | 'beginProbe' | 'probeEnded'>

function forProbes({ rows, watches, findings, coolings, settings, isThere, nowMs }: ProbeParts): ForProbes {
  function isDue(backend: Backend): boolean {
    const row = rows.all.get(backend.id)
    const { kind } = standingOf(row, backend.provider.credentials, nowMs())
    if (kind === 'out' || (kind === 'in' && coolings.at(backend.id, nowMs()).length === 0)) return false
    const { trial, probedAtMs } = watches.of(backend.id)
    return trial === null && nowMs() - probedAtMs >= settings().cooldownMs
  }
  return {
    probesDue: (backends) => [...backends].filter((backend) => backend.enabled && isDue(backend)),
    probeCredential({ id, provider: { credentials } }) {
      const row = rows.of(id)
      const unproved = credentials.find((credential) => isUnproved(row, credential, nowMs()))
      return unproved ?? credentials.find((credential) => causeOfCredential(row, credential) === undefined) ?? null
    },
    beginProbe(backend) {
      const watch = watches.of(backend.id)
      watch.probedAtMs = nowMs()
      return watch.openClaim(backend)
    },
    probeEnded(claim, end) {
      if (isThere(claim)) findings.probeEnded(claim, end)
    },
  }
}

const hasCause = ({ failures, throttle, credentials, operator }: QuarantineRow): boolean =>
  failures !== null || throttle !== null || credentials.length > 0 || operator !== null

/** An operator's order that is over proves nothing and is disproved by nothing. */
function withoutEnded(row: QuarantineRow, nowMs: number): QuarantineRow {
  const untilMs = row.operator?.untilMs ?? null
  return untilMs !== null && untilMs <= nowMs ? { ...row, operator: null } : row
}

/** Whether one of its credentials may be tried again. */
const hasUnproved = (row: QuarantineRow, { provider }: Backend, nowMs: number): boolean =>
  row.credentials.length > 0 && provider.credentials.some((credential) => isUnproved(row, credential, nowMs))

function isUnproved(row: QuarantineRow, credential: OperatorCredential, nowMs: number): boolean {
  const cause = causeOfCredential(row, credential)
  return cause !== undefined && cause.untilMs <= nowMs
}
