import type { BackendId } from '../domain/index.ts'

/** A backend that fails the requests of one account, as far as is known: that account leaves it alone for a time. */
export interface Cooling {
  readonly sinceMs: number
  readonly untilMs: number
  readonly backoffMs: number
  readonly evidence: string
}

/** The coolings of all accounts, in memory alone. */
export class Coolings {
  readonly #byAccount = new Map<string, ReadonlyMap<BackendId, Cooling>>()

  /** Never changed, but replaced by each change. Those that are over are in it still: the next is twice as long. */
  of(accountId: string): ReadonlyMap<BackendId, Cooling> {
    return this.#byAccount.get(accountId) ?? NONE
  }

  /** Which accounts leave a backend alone at this time. */
  at(backend: BackendId, nowMs: number): readonly (Cooling & { readonly accountId: string })[] {
    return [...this.#byAccount].flatMap(([accountId, coolings]) => {
      const cooling = coolings.get(backend)
      return cooling !== undefined && cooling.untilMs > nowMs ? [{ ...cooling, accountId }] : []
    })
  }

  set(accountId: string, backend: BackendId, cooling: Cooling): void {
    if (this.#byAccount.size >= ACCOUNTS_MAX) this.#drop(cooling.sinceMs)
    this.#byAccount.set(accountId, new Map(this.of(accountId)).set(backend, cooling))
  }

  /** Of one account; of all when none is named. */
  clear(backend: BackendId, accountId?: string): void {
    const accounts = accountId === undefined ? [...this.#byAccount.keys()] : [accountId]
    for (const id of accounts) {
      const before = this.of(id)
      if (!before.has(backend)) continue
      const left = new Map(before)
      left.delete(backend)
      if (left.size === 0) this.#byAccount.delete(id)
      else this.#byAccount.set(id, left)
    }
  }

  /** Makes room: those that are over, else the oldest. */
  #drop(nowMs: number): void {
    for (const [accountId, coolings] of this.#byAccount)
      if ([...coolings.values()].every(({ untilMs }) => untilMs <= nowMs)) this.#byAccount.delete(accountId)
    const [oldest] = this.#byAccount.keys()
    if (this.#byAccount.size >= ACCOUNTS_MAX && oldest !== undefined) this.#byAccount.delete(oldest)
  }
}

const ACCOUNTS_MAX = 10_000
const NONE: ReadonlyMap<BackendId, Cooling> = new Map()
