import { expect, test } from 'bun:test'
import { ownSecrets } from '../../../src/accounts/own-secrets.ts'
import type { SealedCredential } from '../../../src/store/index.ts'
import { seededRandom } from '../../support/house.ts'
import { testVault } from '../../support/vault.ts'

const vault = testVault(seededRandom())
const base = { accountId: 'acc', provider: 'acme', baseUrl: null }
const fields = { ...base, hint: '', fault: null, version: 1, createdAtMs: 1, updatedAtMs: 1 }
const row = (id: string, more: Partial<SealedCredential> = {}): SealedCredential => ({
  ...fields,
  id,
  name: id,
  enabled: true,
  sealed: vault.seal(`secret of ${id}`, { rowId: id, accountId: 'acc' }),
  ...more,
})

test('those that are enabled are opened, in their order; one that cannot be opened is left out', () => {
  const foreign = row('b', { sealed: vault.seal('x', { rowId: 'another', accountId: 'acc' }) })
  const rows = [row('d'), row('c', { enabled: false }), foreign, row('a')]
  expect(ownSecrets(vault, rows)).toMatchObject([
    { id: 'd', ...base, secret: 'secret of d', sealed: rows[0]?.sealed },
    { id: 'a', secret: 'secret of a' },
  ])
  expect(ownSecrets(vault, [])).toBe(ownSecrets(vault, []))
})
