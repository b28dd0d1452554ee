import {
  type AccountContext,
  type Backend,
  type Catalogue,
  GatewayError,
  type KeptPlace,
  type OperatorCredential,
} from '../domain/index.ts'
import type { House } from './house.ts'
import { ownPlace } from './route/with-own.ts'

/** Who keeps something, and what it is to be shown. */
export interface Keeper {
  readonly backend: Backend
  readonly credential: OperatorCredential | null
}

/**
 * The backend that keeps something, as it stands in the catalogue now, and the credential that it was made with; where the operator changed that, the
 * first that there is. Throws 503 where backend or own credential are there no more.
 */
export function keeperOf(
  { catalogue }: Pick<House, 'catalogue'>,
  { own }: Pick<AccountContext, 'own'>,
  place: KeptPlace,
): Keeper {
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

const gone = (message: string): GatewayError => new GatewayError('no_backend', message, { retryable: false })
