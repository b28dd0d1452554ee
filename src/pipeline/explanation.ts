import type { Candidate, Stickiness } from '../domain/index.ts'
import { isManagementSecret } from '../vault/index.ts'
import type { Call, Explain } from './call.ts'
import type { House } from './house.ts'
import { decidedBy, ranksView } from './rank-book.ts'

const HEADER = 'x-anyrouter-explain'

/** `x-anyrouter-explain: 1` asks how a request was routed. */
export const wantsExplanation = (call: Call): boolean => {
  const asked = call.arrival.request.headers.get(HEADER)
  return asked === '1' || asked === 'true'
}

/** What a caller with these secrets may be told. A management key among them that may read makes it more. */
export async function openExplanation(house: House, secrets: readonly string[]): Promise<Explain> {
  const shown = secrets.filter(isManagementSecret)
  const keys = await Promise.all(shown.map((secret) => house.accounts.managementKeyOf(secret)))
  return { withEvidence: keys.some((key) => key?.scopes.includes('read')) }
}

/** How the request was routed so far, as JSON in ASCII for a header or a comment: the plan, the skips, the attempts. Of bounded length. */
export function explanationOf(call: Call, explain: Explain): string {
  const { hideBackends } = call.settings.replies
  const place = (offer: string, backend: string) => (hideBackends ? {} : { offer, backend })
  const plan = call.plan.map((candidate, at) => ({
    ...(hideBackends ? { model: candidate.offer.model } : place(candidate.offer.id, candidate.offer.backend.id)),
    ...shown(candidate.own?.id),
    ...standing(call, explain, candidate, at),
  }))
  const skips = call.skips.map(({ offer, backend, credential, rule, reason, evidence }) => ({
    ...place(offer, backend),
    ...shown(credential),
    rule,
    reason,
    ...(explain.withEvidence && evidence !== undefined ? { evidence } : {}),
  }))
  const isOwn = (id: string | null) => id !== null && call.plan.some(({ own }) => own?.id === id)
  const attempts = call.attempts.map((attempt) => ({
    ...place(attempt.offer, attempt.backend),
    outcome: attempt.outcome,
    reason: attempt.reason,
    status: attempt.status,
    ms: Math.round((attempt.endedUs - attempt.startedUs) / 10) / 100,
    connection: attempt.timing.connection,
    absorbed: attempt.absorbed,
    ...(explain.withEvidence || isOwn(attempt.credential) ? { credential: attempt.credential } : {}),
  }))
  const sticky = call.stickiness === null ? {} : { sticky: hideBackends ? hidden(call.stickiness) : call.stickiness }
  const router = call.router === null ? {} : { router: call.router }
  return bounded({ model: call.model, ...router, ...sticky, plan, skips, attempts })
}

/** By which ranking it stands behind the one before it, for everybody; the keys of all of them (costs among them) for operators. */
function standing({ ranks, plan }: Call, { withEvidence }: Explain, candidate: Candidate, at: number): object {
  if (ranks === null) return {}
  const own = ranks.of(candidate)
  const before = plan[at - 1]
  const behind = before === undefined ? null : decidedBy(ranks.of(before), own)
  return { ...(behind === null ? {} : { behind_by: behind }), ...(withEvidence ? { ranks: ranksView(own) } : {}) }
}

const hidden = (stickiness: Stickiness): object => {
  if (!('from' in stickiness)) return stickiness
  const { kind, rule, reason } = stickiness
  return { kind, rule, reason }
}

/** An own credential is no secret to its account. */
const shown = (credential: string | undefined) => (credential === undefined ? {} : { credential })

interface Explanation {
  readonly model: string | null
  readonly router?: string
  readonly sticky?: object
  readonly plan: readonly object[]
  readonly skips: readonly object[]
  readonly attempts: readonly object[]
}

/** As much of it as a head may hold: of long lists the beginning, and how many are left out. */
function bounded(whole: Explanation): string {
  const { plan, skips, attempts, ...head } = whole
  const count = plan.length + skips.length + attempts.length
  for (const kept of KEPT) {
    const shown = { ...head, plan: plan.slice(0, kept), skips: skips.slice(0, kept), attempts: attempts.slice(0, kept) }
    const left = count - shown.plan.length - shown.skips.length - shown.attempts.length
    const text = inAscii(JSON.stringify(left === 0 ? shown : { ...shown, left_out: left }))
    if (text.length <= CHARS_MAX) return text
  }
  return JSON.stringify({ left_out: count })
}

const KEPT = [Number.POSITIVE_INFINITY, 20, 8, 2]
const CHARS_MAX = 6000 // nginx takes a head of 8 KB, with all else in it

const inAscii = (text: string): string =>
  text.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
