import type { AnyElysia } from 'elysia'
import type { SurfaceName } from '../../dialects/index.ts'
import type { DialectName, OperationName } from '../../domain/index.ts'
import type { AddressRange } from '../../lib/index.ts'
import type { Arrival, House } from '../../pipeline/index.ts'
import { clientAddress } from '../client-address.ts'
import type { OperationDoc } from '../document/operation-doc.ts'

/** One public API method and path, and how it is served: under the prefix of every surface, or of one. */
export interface Operation {
  readonly name: OperationName
  readonly method: 'GET' | 'POST'
  /** Below the prefix. */
  readonly path: string
  /** Of its requests and answers; OpenAI's when absent. */
  readonly dialect?: DialectName
  /** The one surface that has it; every one when absent. */
  readonly only?: SurfaceName
  readonly doc: OperationDoc
  serve(house: House, arrival: Arrival): Promise<Response>
}

const IDLE_LIMIT_S = 30

/** Where a request arrived, and which proxies are believed there. */
export interface Door {
  readonly server: AnyElysia['server']
  trustedProxies(): readonly AddressRange[]
}

/** What the edge knows of a request when its head has come. */
export function arrivalOf(
  { operation, surface }: Pick<Arrival, 'operation' | 'surface'>,
  request: Request,
  { server, trustedProxies }: Door,
): Arrival {
  return {
    operation,
    surface,
    request,
    remoteAddress: () =>
      clientAddress(
        server?.requestIP(request)?.address ?? null,
        request.headers.get('x-forwarded-for'),
        trustedProxies(),
      ),
    liftIdleLimit: () => server?.timeout(request, 0),
    restoreIdleLimit: () => server?.timeout(request, IDLE_LIMIT_S),
  }
}
