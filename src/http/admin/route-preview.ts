import type { RequestFacts } from '../../dialects/index.ts'
import {
  type AccountContext,
  type Candidate,
  type DialectName,
  GatewayError,
  type OperationName,
  type RoutePlan,
  type Skip,
} from '../../domain/index.ts'
import {
  affordable,
  captureWorld,
  decidedBy,
  insufficient,
  meansOf,
  openKey,
  prepare,
  RankBook,
  ranksView,
  refuseEmptyPlan,
  route,
  type Wish,
  wishOf,
} from '../../pipeline/index.ts'
import type { AdminDeps } from './deps.ts'
import { offerView } from './models.ts'
import { snakeCase } from './snake-case.ts'

/** A model, or a whole request. */
export interface AskedRoute {
  readonly model: string
  readonly request: {
    readonly dialect: DialectName
    readonly operation: OperationName
    readonly bytes: Uint8Array
    readonly headers: Headers
  } | null
}

/**
 * What the pipeline would do up to its first attempt: prepare, capture, route, and of what is left who could be paid. Nothing is sent or held.
 * What the caller would be refused with is in `refusal`; throws only for what is wrong with the question.
 */
export async function routePreview(deps: AdminDeps, context: AccountContext, asked: AskedRoute): Promise<object> {
  const { wish, facts } = wishIn(asked)
  const world = captureWorld(deps, context, wish.session)
  const ranks = new RankBook()
  const plan = route(world, wish, ranks)
  const paid = facts === null ? { ...plan, skips: NO_SKIPS, error: null } : await payable(deps, context, plan, facts)
  const error = refusalOf(plan, world.nowMs) ?? paid.error
  return {
    model: plan.model,
    router: plan.router ?? null,
    candidates: paid.candidates.map((candidate, at) => candidateView(ranks, candidate, paid.candidates[at - 1])),
    skips: snakeCase([...plan.skips, ...paid.skips]),
    refusal: error === null ? null : { status: error.status, code: error.code, message: error.message },
  }
}

const NO_SKIPS: readonly Skip[] = []

/** Without a seed: the same question has the same answer. */
function wishIn({ model, request }: AskedRoute): { readonly wish: Wish; readonly facts: RequestFacts | null } {
  if (request === null) return { wish: { model }, facts: null }
  const { dialect, operation, bytes, headers } = request
  const { facts } = prepare(dialect, operation, bytes, { headers, url: 'http://localhost/' })
  const { seed: _, ...wish } = wishOf({ arrival: { request: { headers } }, requestId: '' }, facts)
  return { wish, facts }
}

interface Payable {
  readonly candidates: readonly Candidate[]
  readonly skips: readonly Skip[]
  readonly error: GatewayError | null
}

async function payable(
  deps: AdminDeps,
  context: AccountContext,
  plan: RoutePlan,
  facts: RequestFacts,
): Promise<Payable> {
  await openKey(deps, context.key)
  const means = meansOf(deps, context)
  const { candidates, skips, cheapestNeeded } = affordable(deps, deps.settings(), plan, facts, means)
  const isRefused = plan.candidates.length > 0 && candidates.length === 0
  return { candidates, skips, error: isRefused ? insufficient(means, cheapestNeeded) : null }
}

function refusalOf(plan: RoutePlan, nowMs: number): GatewayError | null {
  try {
    refuseEmptyPlan(plan, nowMs)
    return null
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown
    throw thrown
  }
}

function candidateView(ranks: RankBook, candidate: Candidate, before: Candidate | undefined): object {
  const { offer, own, trial } = candidate
  const its = ranks.of(candidate)
  return {
    model: offer.model,
    ...offerView(offer),
    credential: own?.id,
    trial,
    behind_by: before === undefined ? null : decidedBy(ranks.of(before), its),
    ranks: ranksView(its),
  }
}
