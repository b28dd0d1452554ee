import type { Skip } from '../../domain/index.ts'
import { faultReason } from '../fault-reason.ts'
import type { AffordableCandidate } from '../handover.ts'
import type { House } from '../house.ts'
import { skipOf } from '../skip-of.ts'
import { chanceOf } from './take-slot.ts'

/** Why a candidate of the plan was passed over at no cost: it is full, or it was taken out since, or another has its one trial. */
export function passedOver(house: House, candidate: AffordableCandidate): Skip {
  const { offer, own } = candidate
  const fault = own === undefined ? null : house.health.ownFault(own)
  if (fault !== null) return skipOf(candidate, 'own-credential', faultReason(fault))
  switch (chanceOf(house, candidate)) {
    case 'free':
      return skipOf(candidate, 'full', { reason: 'every slot of the backend is taken' })
    case 'trial_running':
      return skipOf(candidate, 'quarantined', { reason: 'another request has the one trial of the backend' })
    case 'out': {
      const exclusion = house.health.exclusion(offer.backend.id)
      const until = exclusion === null || exclusion.untilMs === null ? {} : { untilMs: exclusion.untilMs }
      const evidence = exclusion === null ? {} : { evidence: `${exclusion.cause}: ${exclusion.reason}` }
      return skipOf(candidate, 'quarantined', {
        reason: 'the backend was quarantined meanwhile',
        ...evidence,
        ...until,
      })
    }
  }
}
