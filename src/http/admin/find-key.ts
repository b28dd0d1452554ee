import { GatewayError, type Key } from '../../domain/index.ts'
import type { AdminDeps } from './deps.ts'

/** The key with this id. Throws 404. */
export async function findKey({ store }: Pick<AdminDeps, 'store'>, id: string): Promise<Key> {
  const key = await store.reader.key(id)
  if (key === null) throw new GatewayError('not_found', `There is no key '${id.slice(0, 200)}'.`, { param: 'key' })
  return key
}
