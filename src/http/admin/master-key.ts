import { Elysia } from 'elysia'
import { operationDoc } from '../document/operation-doc.ts'
import { byCaller } from './caller.ts'
import type { AdminDeps } from './deps.ts'
import { masterKeyDoc } from './master-key-doc.ts'

/** `/master-key/rotate`: another key seals the accounts' secrets, while requests go on. */
export function masterKey({ rotateMasterKey }: AdminDeps) {
  return new Elysia().post('/master-key/rotate', ({ request }) => rotateMasterKey(byCaller(request)), {
    parse: 'none',
    detail: operationDoc(masterKeyDoc.rotate),
  })
}
