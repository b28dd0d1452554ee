import { type BackendId, type Departure, offerId } from '../../domain/index.ts'
import type { Call } from '../call.ts'
import type { AffordableCandidate } from '../handover.ts'
import type { House } from '../house.ts'

/**
 * A candidate serves: the request's session stays with its backend, and what became of it is noted. A session whose backend is only full comes
 * back to it; one whose backend could not serve, be it for a single failure, does not: where it went has its prompt too.
 */
export function keepSession(
  house: House,
  call: Call,
  candidates: readonly AffordableCandidate[],
  serving: AffordableCandidate,
): void {
  const { session, accountId, keepsNothing } = call
  if (session === null || accountId === null) return
  const { offer } = serving
  const name = { accountId, session: session.id, model: offer.model, isUnwritten: keepsNothing }
  const from = session.places.get(offer.model)?.backend
  const { sessions } = house.health
  if (from === undefined) {
    sessions.served(name, offer.backend.id, true) // another request of it may have begun it meanwhile
    call.stickiness = { kind: 'new' }
  } else if (from === offer.backend.id) {
    sessions.served(name, from)
    call.stickiness = { kind: 'kept' }
  } else {
    const why = reasonOf(call, candidates, from, serving)
    const isAway = why.rule === FULL
    sessions.served(name, isAway ? from : offer.backend.id)
    call.stickiness = { kind: isAway ? 'away' : 'moved', from, ...why }
  }
}

const FULL = 'full'

/** Why not with the backend where it stayed: its attempt failed, it was passed over, it stands behind, or it has no such offer any more. */
function reasonOf(
  { attempts, skips }: Call,
  candidates: readonly AffordableCandidate[],
  from: BackendId,
  serving: AffordableCandidate,
): Pick<Departure, 'rule' | 'reason'> {
  const offer = offerId(from, serving.offer.model)
  const attempt = attempts.findLast((one) => one.offer === offer)
  if (attempt !== undefined) {
    const { outcome, reason, status } = attempt
    const details = [reason, status].filter((part) => part !== null).join(' ')
    return { rule: 'attempt', reason: `its attempt ${outcome}${details === '' ? '' : ` (${details})`}` }
  }
  const skip = skips.findLast((one) => one.offer === offer && one.credential === undefined)
  if (skip !== undefined) return { rule: skip.rule, reason: skip.reason }
  if (candidates.some((one) => one.offer.id === offer))
    return { rule: 'order', reason: 'others come first for this request' }
  return { rule: 'catalogue', reason: 'the backend does not offer the model' }
}
