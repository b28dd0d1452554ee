import { GatewayError, type ManagementKey } from '../../domain/index.ts'
import { isManagementSecret } from '../../vault/index.ts'
import { setCaller } from './caller.ts'
import type { AdminDeps } from './deps.ts'

/** The management key of a secret that came over the network: from now on the request is its. Throws 401. */
export async function keyCaller(
  { accounts }: Pick<AdminDeps, 'accounts'>,
  request: Request,
  secret: string,
): Promise<ManagementKey> {
  const key = isManagementSecret(secret) ? await accounts.managementKeyOf(secret) : null
  if (key === null)
    throw unauthorised('invalid_api_key', 'Incorrect management key: it is unknown, was revoked, or has expired.')
  setCaller(request, { actor: `key:${key.id}`, scopes: new Set(key.scopes) })
  return key
}

/** The refusal of a request whose secret is missing, or is no management key. */
export const unauthorised = (code: 'missing_api_key' | 'invalid_api_key', message: string): GatewayError =>
  new GatewayError(code, message, { headers: { 'www-authenticate': 'Bearer' } })
