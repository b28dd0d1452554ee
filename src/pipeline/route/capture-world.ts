import { type AccountContext, type CredentialFault, mergePolicies } from '../../domain/index.ts'
import { NO_PLACES } from '../../health/index.ts'
import type { House, PipelineSettings } from '../house.ts'
import type { Bounds } from './may-use-model.ts'
import type { World } from './rule.ts'

/** Takes all that a plan depends on, as it is at this moment. `session`: the one that the request belongs to. */
export const captureWorld = (
  { catalogue, health, settings }: Seen,
  context: AccountContext,
  session?: string,
): World => ({
  catalogue: catalogue(),
  ...boundsOf(settings(), context),
  sort: settings().routing.sort,
  ownFeeBps: settings().money.byokFeeBps,
  quarantine: health.quarantine(),
  coolings: health.coolings(context.account.id),
  ownFaults: context.own.length === 0 ? NONE : faultsOf(health, context),
  triesLeastBad: health.triesLeastBad(),
  nowMs: health.nowMs(),
  observed: health.observed(),
  sticky: session === undefined ? NO_PLACES : health.sessions.of(context.account.id, session),
})

/** Where a world is taken from. */
interface Seen extends Pick<House, 'catalogue' | 'settings'> {
  readonly health: Pick<
    House['health'],
    'coolings' | 'nowMs' | 'observed' | 'ownFault' | 'quarantine' | 'triesLeastBad'
  > & {
    readonly sessions: Pick<House['health']['sessions'], 'of'>
  }
}

/** What account and key bind a request to. */
export const boundsOf = ({ routing }: Pick<PipelineSettings, 'routing'>, context: AccountContext): Bounds => ({
  context,
  policy: mergePolicies(context.account.policy, context.key.policy),
  homeRegions: routing.homeRegions,
})

function faultsOf(
  health: Pick<House['health'], 'ownFault'>,
  { own }: AccountContext,
): ReadonlyMap<string, CredentialFault> {
  const faults = new Map<string, CredentialFault>()
  for (const credential of own) {
    const fault = health.ownFault(credential)
    if (fault !== null) faults.set(credential.id, fault)
  }
  return faults
}

const NONE: ReadonlyMap<string, CredentialFault> = new Map()
