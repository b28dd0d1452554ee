import { etagOf, GatewayError, type ManagementKey } from '../../src/domain/index.ts'
import type { AdminMainReads, AdminReads, AdminWrites, ChangeNote } from '../../src/store/index.ts'
import { bySeq, compare, cut, newestFirst } from './store-double-pages.ts'
import type { Tables } from './store-double-tables.ts'

/** How a store double does a change with its note: both or neither. */
export function withNote<T>(tables: Tables, note: ChangeNote | undefined, change: () => T): T {
  const claim = note?.claim ?? null
  const place = claim === null ? '' : placeOf(claim.actor, claim.idempotencyKey)
  if (tables.keptAnswers.has(place)) throw new GatewayError('conflict', 'The Idempotency-Key was used meanwhile.')
  const answer = change()
  if (note !== undefined) tables.audit.push({ ...note.audit, seq: tables.audit.length + 1 })
  if (claim !== null) {
    const { requestHash, sealed, atMs } = claim
    tables.keptAnswers.set(place, { requestHash, sealed, atMs, answer: JSON.parse(JSON.stringify(answer)) })
  }
  return answer
}

/** The admin's writes over the tables; `run` brings a change to the double's disk. */
export function adminWrites(
  tables: Tables,
  run: <T>(note: ChangeNote | undefined, change: () => T) => Promise<T>,
): AdminWrites {
  return {
    createManagementKey: ({ hash, ...fields }, note) =>
      run(note, () => {
        const key: ManagementKey = { ...fields, revokedAtMs: null, version: 1 }
        tables.managementKeys.set(key.id, { key, hash })
        return key
      }),
    revokeManagementKey: ({ id, atMs, version }, note) =>
      run(note, () => {
        const row = tables.managementKeys.get(id)
        if (row === undefined) throw new GatewayError('not_found', `There is no management key '${id}'.`)
        if (version !== null && version !== row.key.version) throw outdated(row.key.version)
        if (row.key.revokedAtMs !== null) return row.key
        const key = { ...row.key, revokedAtMs: atMs, version: row.key.version + 1 }
        tables.managementKeys.set(id, { ...row, key })
        return key
      }),
    forgetAnswers: (beforeMs) =>
      run(undefined, () => {
        const old = [...tables.keptAnswers].filter(([, { atMs }]) => atMs < beforeMs)
        for (const [place] of old) tables.keptAnswers.delete(place)
        return old.length
      }),
  }
}

/** The admin's reads of the tables; `read` delivers a value as the double's gate has it. */
export function adminMainReads(tables: Tables, read: <T>(what: string, value: T) => Promise<T>): AdminMainReads {
  return {
    managementKeyByHash: (hash) =>
      read(`management key ${hash}`, [...tables.managementKeys.values()].find((row) => row.hash === hash)?.key ?? null),
    keptAnswer: (actor, idempotencyKey) =>
      read(`kept answer ${actor}`, tables.keptAnswers.get(placeOf(actor, idempotencyKey)) ?? null),
  }
}

/** The admin's lists of the tables, as the reader thread pages them. */
export function adminReads(tables: Tables): AdminReads {
  return {
    async managementKeys(page) {
      const keys = [...tables.managementKeys.values()].map(({ key }) => key)
      const byName = keys.sort((one, other) => compare(`${one.name}\n${one.id}`, `${other.name}\n${other.id}`))
      return cut(byName, page, ({ id }) => id)
    },
    managementKey: async (id) => tables.managementKeys.get(id)?.key ?? null,
    async audit({ subject, action }, page) {
      const found = tables.audit.filter(
        (row) => (subject === null || row.subject === subject) && (action === null || row.action === action),
      )
      return cut(newestFirst(found), page, bySeq)
    },
  }
}

const placeOf = (actor: string, idempotencyKey: string): string => `${actor}\n${idempotencyKey}`

const outdated = (version: number): GatewayError =>
  new GatewayError('precondition_failed', 'It has changed since.', { headers: { etag: etagOf(version) } })
