import { GatewayError, NO_CAUSES, type OwnCredential } from '../../src/domain/index.ts'
import type {
  BackendReads,
  BackendWrites,
  ChangeNote,
  OwnCredentialEnd,
  SealedCredential,
} from '../../src/store/index.ts'
import { cut } from './store-double-pages.ts'
import type { Tables } from './store-double-tables.ts'
import { usageModel } from './usage-model.ts'

type Noted = <T>(note: ChangeNote | undefined, apply: () => T) => Promise<T>

/** `BackendWrites` of a store double; `noted` queues a change with its note, `aside` one that nobody is told of. */
export function backendWrites(tables: Tables, noted: Noted, aside: (apply: () => void) => void): BackendWrites {
  const { quarantine, ownCredentials } = tables
  return {
    setOperatorCause: ({ backend, operator }, note) =>
      noted(note, () => {
        const before = quarantine.get(backend) ?? { backend, ...NO_CAUSES }
        const row = { ...before, operator, version: before.version + 1 }
        quarantine.set(backend, row)
        return row
      }),
    clearQuarantine: (backend, note) =>
      noted(note, () => {
        const row = { backend, ...NO_CAUSES, version: (quarantine.get(backend)?.version ?? 0) + 1 }
        quarantine.set(backend, row)
        return row
      }),
    foundCauses: (causes) =>
      aside(() => {
        const before = quarantine.get(causes.backend) ?? { ...NO_CAUSES, version: 1 }
        quarantine.set(causes.backend, { ...before, ...causes })
      }),
    foundFault: ({ id, sealed, fault }) =>
      aside(() => {
        const row = ownCredentials.get(id)
        if (row?.sealed === sealed) ownCredentials.set(id, { ...row, fault })
      }),
    createOwnCredential: ({ createdAtMs, ...fields }, note) =>
      noted(note, () => {
        if (!tables.accounts.has(fields.accountId))
          throw new GatewayError('not_found', `There is no account '${fields.accountId}'.`)
        const row = { ...fields, fault: null, version: 1, createdAtMs, updatedAtMs: createdAtMs }
        refuseTwin(tables, row)
        ownCredentials.set(row.id, row)
        return unsealed(row)
      }),
    updateOwnCredential: (wish, note) =>
      noted(note, () => {
        const old = found(tables, wish)
        const { name = old.name, enabled = old.enabled, secret, atMs } = wish
        const fault = secret === undefined ? old.fault : null
        const row = { ...old, ...secret, name, enabled, fault, version: old.version + 1, updatedAtMs: atMs }
        refuseTwin(tables, row)
        ownCredentials.set(row.id, row)
        return unsealed(row)
      }),
    resealOwnCredentials: (rows, note) =>
      noted(note, () => {
        const same = rows.filter(({ id, from }) => ownCredentials.get(id)?.sealed === from)
        for (const { id, to } of same) {
          const row = ownCredentials.get(id)
          if (row !== undefined) ownCredentials.set(id, { ...row, sealed: to })
        }
        return same.length
      }),
    deleteOwnCredential: (wish, note) =>
      noted(note, () => {
        const old = found(tables, wish)
        ownCredentials.delete(old.id)
        return unsealed(old)
      }),
  }
}

/** `BackendReads` of a store double. */
export function backendReads(tables: Tables): BackendReads {
  return {
    quarantine: async () => [...tables.quarantine.values()],
    async ownCredentials(accountId, page) {
      const all = [...tables.ownCredentials.values()].filter((row) => accountId === null || row.accountId === accountId)
      const place = (row: OwnCredential) => [row.accountId, row.provider, row.name].join('\n')
      const sorted = all.sort((one, other) => (place(one) < place(other) ? -1 : 1))
      return cut(sorted, page, ({ id }) => id)
    },
    async ownCredential(accountId, id) {
      const row = tables.ownCredentials.get(id)
      return row?.accountId === accountId ? row : null
    },
    usage: async (query) =>
      usageModel(tables.settlements.values(), query, {
        account: (id) => tables.accounts.get(id)?.account.name ?? null,
        key: (id) => tables.keys.get(id)?.key.name ?? null,
      }),
  }
}

function found({ ownCredentials }: Tables, { id, accountId, version }: OwnCredentialEnd): SealedCredential {
  const row = ownCredentials.get(id)
  if (row === undefined || row.accountId !== accountId)
    throw new GatewayError('not_found', `The account has no credential '${id}'.`)
  if (version !== null && version !== row.version)
    throw new GatewayError('precondition_failed', `It has changed since: its version is ${row.version} now.`)
  return row
}

function refuseTwin({ ownCredentials }: Tables, row: OwnCredential): void {
  const isTwin = (other: OwnCredential) =>
    other.id !== row.id &&
    other.accountId === row.accountId &&
    other.provider === row.provider &&
    other.name === row.name
  if ([...ownCredentials.values()].some(isTwin))
    throw new GatewayError('conflict', 'The account has a credential of this name for this provider already.')
}

const unsealed = ({ sealed: _, ...credential }: SealedCredential): OwnCredential => credential
