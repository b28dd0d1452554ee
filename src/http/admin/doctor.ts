import { Elysia } from 'elysia'
import { operationDoc } from '../document/operation-doc.ts'
import type { AdminDeps } from './deps.ts'
import { doctorDoc } from './doctor-doc.ts'

/** `/doctor`: looks at everything the server stands on, and says what to do about what it finds. */
export function doctor(deps: AdminDeps) {
  return new Elysia().post(
    '/doctor',
    async () => {
      const findings = await deps.doctor()
      return { ok: findings.every(({ state }) => state !== 'fail'), findings }
    },
    { parse: 'none', detail: operationDoc(doctorDoc.examine) },
  )
}
