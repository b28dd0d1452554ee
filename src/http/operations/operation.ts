import type { AnyElysia } from 'elysia'
import type { SurfaceName } from '../../dialects/index.ts'
import type { DialectName, OperationName } from '../../domain/index.ts'
import type { AddressRange } from '../../lib/index.ts'
import type { Arrival, House } from '../../pipeline/index.ts'
import { remoteAddress } from '../client-address.ts'
import type { OperationDoc } from '../document/operation-doc.ts'

/** One public API method and path, and how it is served: under the prefix of every surface, or of one. */
export interface Operation {
  readonly name: OperationName
  readonly method: 'GET' | 'POST' | 'DELETE'
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
  server(): AnyElysia['server']
  trustedProxies(): readonly AddressRange[]
}

/** What the edge knows of a request when its head has come. */
export const arrivalOf = (kind: Pick<Arrival, 'operation' | 'surface'>, request: Request, door: Door): Arrival =>
  new HttpArrival(kind, request, door)

class HttpArrival implements Arrival {
  readonly operation: Arrival['operation']
  readonly surface: Arrival['surface']
  readonly request: Request
  readonly #door: Door

  /** Handed on without its arrival. */
  readonly remoteAddress = (): string | null =>
    remoteAddress(this.request, this.#door.server(), this.#door.trustedProxies())

  constructor({ operation, surface }: Pick<Arrival, 'operation' | 'surface'>, request: Request, door: Door) {
    this.operation = operation
    this.surface = surface
    this.request = request
    this.#door = door
  }

  liftIdleLimit(): void {
    this.#door.server()?.timeout(this.request, 0)
  }

  restoreIdleLimit(): void {
    this.#door.server()?.timeout(this.request, IDLE_LIMIT_S)
  }
}
