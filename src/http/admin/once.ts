import { GatewayError } from '../../domain/index.ts'
import type { By, Store } from '../../store/index.ts'
import { type SealedFor, type Vault, VaultError } from '../../vault/index.ts'
import { urlOf } from '../bad-host.ts'
import { callerOf } from './caller.ts'
import type { AdminDeps } from './deps.ts'

/** What of Elysia's context a change that happens once needs. */
export interface Asked {
  readonly request: Request
  readonly body: unknown
  readonly set: { readonly headers: Record<string, string | number | undefined> }
}

/** An answer that shows a secret. */
export interface Shown<T> {
  readonly answer: T
  readonly secret: string
}

const KEY = /^[\x21-\x7e]{1,255}$/

/**
 * Makes a change, once for each `Idempotency-Key` of a caller: the same request again gets the answer that the change gave, which is kept in
 * the change's own transaction for a day, and changes nothing; another request with that key is 409. A second one at the same time waits
 * for the first. What was refused is not kept. `change` answers what its writer answered. Without the header: just makes it.
 */
export async function once<T>(deps: OnceDeps, asked: Asked, change: (by: By) => Promise<T>): Promise<T> {
  const { answer } = await onceShown(deps, asked, null, async (by) => ({ answer: await change(by), secret: '' }))
  return answer
}

/** As `once`, for a change whose answer shows a new secret: it is kept sealed, and shown again to the same request alone. */
export function onceWithSecret<T>(
  deps: OnceDeps,
  asked: Asked,
  secret: string,
  change: (by: By, secret: string) => Promise<T>,
): Promise<Shown<T>> {
  return onceShown(deps, asked, secret, async (by) => ({ answer: await change(by, secret), secret }))
}

export type OnceDeps = Pick<AdminDeps, 'store' | 'clock'> & { readonly vault: Pick<Vault, 'open' | 'seal'> }

async function onceShown<T>(
  deps: OnceDeps,
  asked: Asked,
  secret: string | null,
  change: (by: By) => Promise<Shown<T>>,
): Promise<Shown<T>> {
  const { actor } = callerOf(asked.request)
  const idempotencyKey = keyOf(asked.request)
  if (idempotencyKey === null) return change({ actor, claim: null })
  const owner = { rowId: idempotencyKey, accountId: actor }
  return alone(deps.store, `${actor}\n${idempotencyKey}`, async () => {
    const requestHash = hashOf(asked)
    const kept = await deps.store.reads.keptAnswer(actor, idempotencyKey)
    if (kept === null) {
      const sealed = secret === null ? null : deps.vault.seal(secret, owner)
      return change({ actor, claim: { actor, idempotencyKey, requestHash, sealed, atMs: deps.clock.wallMs() } })
    }
    if (kept.requestHash !== requestHash)
      throw new GatewayError(
        'idempotency_key_reused',
        'This Idempotency-Key was used for another request. Take a new one for each new request.',
        { param: 'Idempotency-Key' },
      )
    asked.set.headers['idempotent-replayed'] = 'true'
    // The hash says that it was asked for by the same method, path and body, so the same change answered it.
    return { answer: kept.answer as T, secret: kept.sealed === null ? '' : reopen(deps.vault, kept.sealed, owner) }
  })
}

/** The folder may have got another master key since. */
function reopen(vault: OnceDeps['vault'], sealed: string, owner: SealedFor): string {
  try {
    return vault.open(sealed, owner)
  } catch (error) {
    if (!(error instanceof VaultError)) throw error
    throw new GatewayError(
      'conflict',
      'This was done before, and what it made is there; its secret was sealed with another master.key and cannot be shown again. ' +
        'Make a new one with a new Idempotency-Key.',
      { param: 'Idempotency-Key' },
    )
  }
}

function keyOf({ headers }: Request): string | null {
  const key = headers.get('idempotency-key')
  if (key === null || KEY.test(key)) return key
  throw new GatewayError('invalid_request', "'Idempotency-Key' must be 1 to 255 visible characters without spaces.", {
    param: 'Idempotency-Key',
  })
}

function hashOf({ request, body }: Asked): string {
  const { pathname, search } = urlOf(request)
  return Bun.CryptoHasher.hash('sha256', JSON.stringify([request.method, pathname, search, body]), 'hex')
}

/** Of each store: who works under which key. One process has the store, so that this is everybody. */
const working = new WeakMap<Store, Map<string, Promise<unknown>>>()

/** Runs `work` when no other work of the same name is under way. */
async function alone<T>(store: Store, name: string, work: () => Promise<T>): Promise<T> {
  const names = working.get(store) ?? new Map<string, Promise<unknown>>()
  working.set(store, names)
  const before = names.get(name)
  const mine = before === undefined ? work() : before.then(work, work)
  names.set(name, mine)
  try {
    return await mine
  } finally {
    if (names.get(name) === mine) names.delete(name)
  }
}
