import type { Backend } from '../../domain/index.ts'
import type { AdminDeps } from './deps.ts'
import { unknownName } from './unknown-name.ts'

/** The backend of the catalogue with this id. Throws 404, with the nearest id. */
export function findBackend({ catalogue }: Pick<AdminDeps, 'catalogue'>, id: string): Backend {
  const { backends } = catalogue()
  const backend = backends.get(id)
  if (backend !== undefined) return backend
  throw unknownName('backend', id, backends.keys())
}
