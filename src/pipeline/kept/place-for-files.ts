import { type AccountContext, type Candidate, GatewayError, type Skip } from '../../domain/index.ts'
import type { House } from '../house.ts'
import { captureWorld, refuseEmptyPlan, route } from '../route/index.ts'
import type { Keeper } from './keeper-of.ts'

/** Where a new file goes, and what is shown there. */
export interface FilePlace extends Keeper {
  readonly isOwn: boolean
}

/**
 * A file belongs to no model: the plans of all models are looked at in the catalogue's order, those first that say `files`, and the first candidate gets it.
 * `pin`: the one provider that may have it. Throws what `refuseEmptyPlan` does of the last model, when none may.
 */
export function placeForFiles(house: House, context: AccountContext, pin: string | undefined): FilePlace {
  const world = captureWorld(house, context)
  const models = [...world.catalogue.models.values()]
  const saying = models.filter(({ offers }) => offers.some((offer) => offer.operations?.includes('files')))
  const skips: Skip[] = []
  let last = ''
  for (const { id } of [...saying, ...models]) {
    const plan = route(world, { model: id, operation: 'files', pin })
    const [first] = plan.candidates
    if (first !== undefined) return placeOf(house, plan.candidates.find(saysFiles) ?? first)
    skips.push(...plan.skips)
    last = id
  }
  if (last !== '') refuseEmptyPlan({ model: last, candidates: [], skips }, world.nowMs)
  throw new GatewayError('no_backend', 'No backend is there that could keep a file.', { retryable: false })
}

const saysFiles = ({ offer }: Candidate): boolean => offer.operations?.includes('files') === true

const placeOf = ({ health }: House, { offer: { backend }, own, trial }: Candidate): FilePlace => ({
  backend,
  credential: own ?? health.credentials({ backend, isTrial: trial !== undefined })[0] ?? null,
  isOwn: own !== undefined,
})
