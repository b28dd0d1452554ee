import { nearNames } from '../../catalogue/index.ts'
import { type AccountContext, GatewayError } from '../../domain/index.ts'
import { mayNameModel } from './may-use-model.ts'
import type { World } from './rule.ts'

const NEAR_NAMES = 3
const NAME_SHOWN_MAX = 200

/** 404 `model_not_found`, with the nearest names that the key may use; all of them, where there is no key. */
export function unknownModel(
  { catalogue, context }: Pick<World, 'catalogue'> & { readonly context: AccountContext | null },
  { model }: { readonly model: string },
): GatewayError {
  const near = nearNames(catalogue, model, NEAR_NAMES, (name) => context === null || mayNameModel({ context }, name))
  const hint = near.length === 0 ? '' : ` Did you mean ${near.map((name) => `'${name}'`).join(' or ')}?`
  return new GatewayError(
    'model_not_found',
    `The model '${clip(model)}' does not exist or you do not have access to it.${hint}`,
    { param: 'model' },
  )
}

/** A name as it is told: a caller may send any length of it. */
export const clip = (name: string): string =>
  name.length > NAME_SHOWN_MAX ? `${name.slice(0, NAME_SHOWN_MAX)}…` : name
