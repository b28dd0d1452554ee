import type { AccountContext } from '../domain/index.ts'
import { admit } from './admit.ts'
import { authenticate, recognise } from './authenticate.ts'
import type { House } from './house.ts'
import { secretsOf } from './receive.ts'

/** Whose key a request shows, for faces that answer without the pipeline: the same door, and no limits are counted. Throws 401, 403. */
export async function identify(
  house: House,
  { headers }: Request,
  remoteAddress: () => string | null,
): Promise<AccountContext> {
  const secrets = secretsOf(headers)
  const recognition = recognise(house, secrets, remoteAddress)
  const known = () => authenticate(house, secrets, recognition, remoteAddress)
  return admit(house, await known(), known)
}
