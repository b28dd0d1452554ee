import { faultReason } from '../../fault-reason.ts'
import type { Filter } from '../rule.ts'

/** Drops own credentials that their provider refuses or limits, for as long as that is known to last. */
export const ownUsable: Filter = {
  kind: 'filter',
  name: 'own-credential',
  applies: (_, { ownFaults }) => ownFaults.size > 0,
  skip({ own }, { ownFaults }) {
    const fault = own === undefined ? undefined : ownFaults.get(own.id)
    return fault === undefined ? null : faultReason(fault)
  },
}
