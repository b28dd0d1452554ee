import type { Key } from '../../domain/index.ts'
import type { AdminDeps } from './deps.ts'
import { unknownName } from './unknown-name.ts'

/** The key with this id. Throws 404. */
export async function findKey({ store }: Pick<AdminDeps, 'store'>, id: string): Promise<Key> {
  const key = await store.reader.key(id)
  if (key === null) throw unknownName('key', id)
  return key
}
