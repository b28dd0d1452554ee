import { findModel } from '../../catalogue/index.ts'
import { GatewayError } from '../../domain/index.ts'
import type { AdminDeps } from './deps.ts'

/** The ids of models that are named by id or alias: an alias would change its meaning with the catalogue. Throws 404 with the field. */
export const modelIds = (deps: Pick<AdminDeps, 'catalogue'>, names: readonly string[]): readonly string[] =>
  names.map((name) => {
    const model = findModel(deps.catalogue(), name)
    if (model === null)
      throw new GatewayError('model_not_found', `There is no model '${name.slice(0, 200)}'.`, { param: 'models' })
    return model.id
  })
