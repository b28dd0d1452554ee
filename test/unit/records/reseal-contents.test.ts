import { expect, test } from 'bun:test'
import { systemRandom } from '../../../src/lib/index.ts'
import { createContents, resealContents } from '../../../src/records/index.ts'
import { createVault } from '../../../src/vault/index.ts'
import { oneKey } from '../../support/vault.ts'
import { breathe } from '../../support/wire.ts'
import { fundedAccount, recordOf, storeKit } from '../store/store-kit.ts'

const old = oneKey(new Uint8Array(32).fill(1))
const fresh = oneKey(new Uint8Array(32).fill(2))
const both = { newest: 2, keyOf: (number: number) => (number === 2 ? fresh.keyOf(1) : old.keyOf(number)) }
const fresher = { newest: 2, keyOf: (number: number) => (number === 2 ? fresh.keyOf(1) : undefined) }

test('prompts and answers are sealed anew, page by page; what was removed stays away, what no key opens stays as it is', async () => {
  const kit = await storeKit()
  try {
    await fundedAccount(kit.store)
    const { reader, writer } = kit.store
    const before = createContents({ writer, vault: createVault(old, systemRandom()) })
    const ids = Array.from({ length: 40 }, (_, at) => `req_${String(at).padStart(3, '0')}`)
    const contentOf = (requestId: string) => ({
      requestId,
      accountId: 'acc_1',
      prompt: `prompt of ${requestId}`,
      answer: requestId.endsWith('7') ? null : `answer of ${requestId}`,
      isCut: false,
    })
    for (const id of ids) writer.record(recordOf(id))
    for (const id of ids) before.keep(contentOf(id))
    const strange = createContents({ writer, vault: createVault(oneKey(new Uint8Array(32).fill(9)), systemRandom()) })
    strange.keep(contentOf('req_zzz'))
    while ((await reader.content('req_zzz')) === null) await breathe()
    const contents = createContents({ writer, vault: createVault(both, systemRandom()) })
    await resealContents({ reader, writer, contents })
    const after = createContents({ writer, vault: createVault(fresher, systemRandom()) })
    for (const id of ids) {
      const sealed = await reader.content(id)
      expect(sealed && after.open(sealed)).toEqual(contentOf(id))
    }
    const left = await reader.content('req_zzz')
    expect(left && strange.open(left)).toEqual(contentOf('req_zzz'))
    const [first] = await reader.contents({ limit: 1, after: null })
    await writer.resealContents([{ ...(first ?? contentOf('x')), requestId: 'req_gone' }])
    expect(await reader.content('req_gone')).toBeNull()
  } finally {
    await kit.end()
  }
})
