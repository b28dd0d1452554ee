import { findModel, findRouter } from '../../catalogue/index.ts'
import { GatewayError } from '../../domain/index.ts'
import type { AdminDeps } from './deps.ts'

/** The ids of models and router models that are named by id or alias: an alias would change its meaning with the catalogue. Throws 404 with the field. */
export const modelIds = (deps: Pick<AdminDeps, 'catalogue'>, names: readonly string[]): readonly string[] =>
  names.map((name) => {
    const found = findModel(deps.catalogue(), name) ?? findRouter(deps.catalogue(), name)
    if (found !== null) return found.id
    const reason = `There is no model or router model '${name.slice(0, 200)}'.`
    throw new GatewayError('model_not_found', reason, { param: 'models' })
  })
