import { GatewayError, type Key, type Principal } from '../domain/index.ts'
import { hashKey, isManagementSecret } from '../vault/index.ts'
import type { Recognition } from './handover.ts'
import type { House } from './house.ts'

const SECRET_CHARS_MAX = 512

/** The principal of a recognition. A key that was revoked or changed while the body came is looked up again; one that memory still has did not change. */
export function authenticate(
  house: House,
  secrets: readonly string[],
  recognition: Recognition,
  remoteAddress: () => string | null,
): Principal | Promise<Principal> {
  if (recognition.kind === 'known') {
    const { principal, hash } = recognition
    const isStill = house.accounts.keys.peek(hash) === principal.key && isGood(principal.key, house.expiries.nowMs())
    if (isStill) return principal
  }
  return authenticateAgain(house, secrets, recognition, remoteAddress)
}

async function authenticateAgain(
  house: House,
  secrets: readonly string[],
  recognition: Recognition,
  remoteAddress: () => string | null,
): Promise<Principal> {
  if (recognition.kind === 'reading') await recognition.principal
  return recognise(house, secrets, remoteAddress).principal
}

/**
 * Starts recognising the caller from the head alone. Throws at once when it is already certain that no secret is good, so that
 * the body need not be read. The read goes on whatever becomes of this request.
 */
export function recognise(house: House, secrets: readonly string[], remoteAddress: () => string | null): Recognition {
  if (secrets.length === 0) {
    throw new GatewayError(
      'missing_api_key',
      "You didn't provide an API key. Send it as 'Authorization: Bearer YOUR_KEY'.",
      {
        headers: { 'www-authenticate': 'Bearer' },
      },
    )
  }
  const { loopbackOnlySecret } = house.settings()
  const usable = secrets.filter(
    (secret) => secret.length <= SECRET_CHARS_MAX && (secret !== loopbackOnlySecret || isLoopback(remoteAddress())),
  )
  const hashes = usable.map(hashKey)
  const nowMs = house.expiries.nowMs()
  const unread: string[] = []
  for (const hash of hashes) {
    const key = house.accounts.keys.peek(hash)
    if (key === undefined) unread.push(hash)
    else if (isGood(key, nowMs)) return { kind: 'known', principal: principalAt(house, key, remoteAddress), hash }
  }
  if (unread.length === 0) throw invalidKey(secrets)
  const principal = readPrincipal(house, unread, secrets, remoteAddress)
  principal.catch(() => {}) // awaited later, or never when the request is refused for another reason
  return { kind: 'reading', principal }
}

async function readPrincipal(
  house: House,
  hashes: readonly string[],
  secrets: readonly string[],
  remoteAddress: () => string | null,
): Promise<Principal> {
  const reads = hashes.map((hash) => house.accounts.keys.load(hash))
  for (const read of reads) read.catch(() => {}) // nobody waits for those behind a good one
  for (const read of reads) {
    const key = await read
    if (isGood(key, house.expiries.nowMs())) return principalAt(house, key, remoteAddress)
  }
  throw invalidKey(secrets)
}

/** Throws 403 for a key that may not be used from there. An address that is not known is none of those allowed. */
function principalAt(house: House, key: Key, remoteAddress: () => string | null): Principal {
  if (key.addresses === null) return { key }
  const address = remoteAddress()
  if (!house.accounts.allowsAddress(key.addresses, address))
    throw new GatewayError(
      'address_not_permitted',
      `This key may not be used from your address, ${address ?? 'which is not known'}.`,
    )
  return { key }
}

const isGood = (key: Key | null, nowMs: number): key is Key =>
  key !== null && !key.revoked && !key.disabled && (key.expiresAtMs === null || nowMs < key.expiresAtMs)

const isLoopback = (address: string | null): boolean =>
  address !== null && (address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.'))

const invalidKey = (secrets: readonly string[]) =>
  new GatewayError(
    'invalid_api_key',
    secrets.some(isManagementSecret)
      ? 'This is a management key, for /admin/v1 alone. Requests to models take an API key (sk-ar-…).'
      : 'Incorrect API key provided. Check that the whole key was sent and that it was not revoked and has not expired.',
    {
      headers: { 'www-authenticate': 'Bearer' },
    },
  )
