import type { AccountRow, Store } from '../store/index.ts'

const PAGE = 200

/** The account of this name, which is unique; null: there is none. Looks through all of them. */
export async function accountNamed(
  reader: Pick<Store['reader'], 'accounts'>,
  name: string,
): Promise<AccountRow | null> {
  let after: string | null = null
  for (;;) {
    const page: readonly AccountRow[] = await reader.accounts({ limit: PAGE, after })
    const found = page.find(({ account }) => account.name === name)
    if (found !== undefined) return found
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return null
    after = last.account.id
  }
}
