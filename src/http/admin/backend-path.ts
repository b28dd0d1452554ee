import { Elysia } from 'elysia'
import { operationDoc } from '../document/operation-doc.ts'
import type { AdminDeps } from './deps.ts'
import { findBackend } from './find-backend.ts'
import { pathDoc } from './path-doc.ts'
import { callView, credentialView } from './path-view.ts'

/** `/backends/:backend/ping` and `/probe`: how long the way to it takes, and what it says to our credentials. Neither costs tokens. */
export function backendPath(deps: AdminDeps) {
  const { paths } = deps
  return new Elysia()
    .post(
      '/backends/:backend/ping',
      async ({ params }) => {
        const backend = findBackend(deps, params.backend)
        const { fresh, kept } = await paths.ping(backend)
        return { backend: backend.id, new: callView(fresh), kept: callView(kept) }
      },
      { parse: 'none', detail: operationDoc(pathDoc.ping) },
    )
    .post(
      '/backends/:backend/probe',
      async ({ params }) => {
        const backend = findBackend(deps, params.backend)
        return { backend: backend.id, credentials: (await paths.probe(backend)).map(credentialView) }
      },
      { parse: 'none', detail: operationDoc(pathDoc.probe) },
    )
}
