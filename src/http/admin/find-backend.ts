import { type Backend, GatewayError } from '../../domain/index.ts'
import { nearest } from '../../lib/index.ts'
import type { AdminDeps } from './deps.ts'

/** The backend of the catalogue with this id. Throws 404, with the nearest id. */
export function findBackend({ catalogue }: Pick<AdminDeps, 'catalogue'>, id: string): Backend {
  const { backends } = catalogue()
  const backend = backends.get(id)
  if (backend !== undefined) return backend
  const [near] = nearest(id, [...backends.keys()], 1)
  const hint = near === undefined ? '' : ` Did you mean '${near}'?`
  throw new GatewayError('not_found', `There is no backend '${id.slice(0, 200)}'.${hint}`, { param: 'backend' })
}
