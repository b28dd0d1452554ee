import type { AnyElysia } from 'elysia'
import type { OperationName } from '../../domain/index.ts'
import type { Arrival, House } from '../../pipeline/index.ts'

/** One public API method and path, and how it is served. */
export interface Operation {
  readonly name: OperationName
  readonly method: 'GET' | 'POST'
  readonly path: string
  serve(house: House, arrival: Arrival): Promise<Response>
}

const IDLE_LIMIT_S = 30

/** What the edge knows of a request when its head has come. */
export function arrivalOf(operation: OperationName, request: Request, server: AnyElysia['server']): Arrival {
  return {
    operation,
    request,
    remoteAddress: () => server?.requestIP(request)?.address ?? null,
    liftIdleLimit: () => server?.timeout(request, 0),
    restoreIdleLimit: () => server?.timeout(request, IDLE_LIMIT_S),
  }
}
