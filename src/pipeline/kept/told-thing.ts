import { withoutMark } from '../../dialects/index.ts'
import type { KeptPlace, StoredKind, StoredThing } from '../../domain/index.ts'
import { errorText, isRecord } from '../../lib/index.ts'
import type { Call } from '../call.ts'
import type { House } from '../house.ts'

const ID_CHARS_MAX = 256

/** What a provider says of a file or a batch, as something that it keeps from now on; null: it says no id. */
export function toldThing(
  { house, call }: { readonly house: Pick<House, 'clock'>; readonly call: Pick<Call, 'accountId' | 'keepsNothing'> },
  kind: StoredKind,
  { backend, credential, isOwn }: KeptPlace,
  told: Readonly<Record<string, unknown>>,
): StoredThing | null {
  const { id, expires_at: expiresAt } = told
  if (!isKeepable(id) || call.accountId === null) return null
  return {
    accountId: call.accountId,
    id,
    kind,
    backend,
    credential,
    isOwn,
    model: null,
    told: call.keepsNothing ? null : told,
    createdAtMs: house.clock.wallMs(),
    untilMs:
      kind === 'file' && typeof expiresAt === 'number' && Number.isFinite(expiresAt)
        ? Math.round(expiresAt * 1000)
        : null,
  }
}

/**
 * Writes down what a provider says of a thing now; nothing of one that was forgotten while it was asked: its answer was under way already. Never rejects
 * for the disk.
 */
export async function keepToldAgain(
  house: House,
  call: Call,
  thing: StoredThing,
  told: Readonly<Record<string, unknown>>,
): Promise<void> {
  const found = await house.stored.find(thing.accountId, thing.id).catch(() => null)
  if (found !== null) await keepTold(house, call, toldAgain(call, thing, told))
}

/** What a provider says of a thing now, whatever id it names; and the files that a batch has made so far, which its account may ask for too. */
export function toldAgain(
  { keepsNothing }: Pick<Call, 'keepsNothing'>,
  thing: StoredThing,
  told: Readonly<Record<string, unknown>>,
): StoredThing[] {
  const made = thing.kind === 'batch' ? [told.output_file_id, told.error_file_id] : []
  const files = made.filter(isKeepable).map((id): StoredThing => ({ ...thing, id, kind: 'file', told: null }))
  return [{ ...thing, told: keepsNothing ? null : told }, ...files]
}

/** A JSON object in these bytes; null: there is none. */
export function objectIn(bytes: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(withoutMark(bytes)).toString())
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

/** Known at once, and on disk when this resolves. Never rejects. */
export const keepTold = (house: House, call: Call, things: readonly StoredThing[]): Promise<void> =>
  house.stored.keep(things).catch(unwritten(house, call))

/** A disk that does not take what is told of kept things costs nobody the answer. */
export const unwritten = (house: House, call: Call) => (error: unknown) =>
  house.log.warn('stored_unwritten', { request_id: call.requestId, message: errorText(error) })

/** Whether something can be kept under this id. */
export const isKeepable = (id: unknown): id is string =>
  typeof id === 'string' && id !== '' && id.length <= ID_CHARS_MAX
