import {
  type AccountContext,
  type Backend,
  type Catalogue,
  GatewayError,
  type KeptPlace,
  type OperatorCredential,
} from '../../domain/index.ts'
import type { House } from '../house.ts'
import { boundsOf, refuseBackend } from '../route/index.ts'
import { ownPlace } from '../route/with-own.ts'

/** Who keeps something, and what it is to be shown. */
export interface Keeper {
  readonly backend: Backend
  readonly credential: OperatorCredential | null
}

type Rooms = Pick<House, 'catalogue' | 'clock' | 'settings'> & {
  readonly health: Pick<House['health'], 'chanceOf' | 'exclusion'>
}

/**
 * The backend that keeps something, as it stands in the catalogue now, and the credential that it was made with; where the operator changed that, the
 * first that there is. Account and key bind who asks as they bind any request; `isFed`: it has the backend work on what is there. Throws 403 or 404
 * for them, 503 where backend or own credential are there no more, or the backend is quarantined for more than failures: no other can answer.
 */
export function keeperOf(rooms: Rooms, context: AccountContext, place: KeptPlace, isFed = false): Keeper {
  const keeper = found(rooms, context, place)
  const { backend } = keeper
  refuseBackend(boundsOf(rooms.settings(), context), backend, isFed)
  if (rooms.health.chanceOf(backend, true, place.isOwn) === 'out') throw out(rooms, backend)
  return keeper
}

function found({ catalogue }: Rooms, { own }: AccountContext, place: KeptPlace): Keeper {
  const { backends } = catalogue()
  if (!place.isOwn) {
    const backend = inUse(backends, place)
    const { credentials } = backend.provider
    return { backend, credential: credentials.find(({ id }) => id === place.credential) ?? credentials[0] ?? null }
  }
  const credential = own.find(({ id }) => id === place.credential)
  if (credential === undefined) throw gone('The own credential that it was made with is not in use any more.')
  const { baseUrl, provider } = credential
  if (baseUrl === null) return { backend: inUse(backends, place), credential }
  const known = [...backends.values()].find((backend) => backend.provider.id === provider)
  if (known === undefined) throw gone('The provider that keeps it is not in use any more.')
  return { backend: ownPlace(credential, baseUrl, known), credential }
}

function inUse(backends: Catalogue['backends'], place: KeptPlace): Backend {
  const backend = backends.get(place.backend)
  if (backend === undefined || !backend.enabled) throw gone('The backend that keeps it is not in use any more.')
  return backend
}

function out({ health, clock }: Rooms, { id }: Backend): GatewayError {
  const untilMs = health.exclusion(id)?.untilMs ?? null
  const retryAfterMs = untilMs === null ? OUT_RETRY_MS : Math.max(1, untilMs - clock.wallMs())
  return new GatewayError('no_backend', 'The backend that keeps it is quarantined. Please try again.', { retryAfterMs })
}

const OUT_RETRY_MS = 30_000 // until it is cleared: nobody knows when

const gone = (message: string): GatewayError => new GatewayError('no_backend', message, { retryable: false })
