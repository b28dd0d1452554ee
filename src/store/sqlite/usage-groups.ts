import type { Database } from 'bun:sqlite'
import { FURTHER_KINDS, type Usage } from '../../domain/index.ts'
import { DAY_MS } from '../../lib/index.ts'
import type { UsageAnswer, UsageKey, UsageRow } from '../backends-contract.ts'
import type { FoundKeys } from './select-sql.ts'
import { SUMMED_NAMES, type Summed } from './summed.ts'

const ROWS_MAX = 10_000

export type UsageSums = Readonly<Record<Summed, bigint>>

interface Group {
  readonly keys: UsageRow['keys']
  readonly sums: Record<Summed, bigint>
  readonly further: Map<string, bigint>
  absorbed: bigint
}

/** Sums of usage by group, as they come together from several places. */
export class UsageGroups {
  readonly #by: readonly UsageKey[]
  readonly #groups = new Map<string, Group>()

  constructor(by: readonly UsageKey[]) {
    this.#by = by
  }

  /** More than anybody reads: nothing needs to be added any more. */
  get isFull(): boolean {
    return this.#groups.size > ROWS_MAX
  }

  add(found: FoundKeys, more: UsageSums): void {
    const { sums } = this.#groupOf(found)
    for (const name of SUMMED_NAMES) sums[name] += more[name]
  }

  /** Units of a kind that few requests have. */
  addFurther(found: FoundKeys, kind: string, units: bigint): void {
    const { further } = this.#groupOf(found)
    further.set(kind, (further.get(kind) ?? 0n) + units)
  }

  /** What attempts that did not serve may have cost. */
  addAbsorbed(found: FoundKeys, nano: bigint): void {
    this.#groupOf(found).absorbed += nano
  }

  /** Sorted by the keys in their order, null last; the ledger knows the names. */
  answer(ledger: Database): UsageAnswer {
    if (this.isFull) return { kind: 'too_many' }
    const nameOf = namesOf(ledger)
    const groups = [...this.#groups.values()].sort((one, other) => compareKeys(one.keys, other.keys))
    return { kind: 'rows', rows: groups.map((group) => usageRow(this.#by, group, nameOf)) }
  }

  #groupOf(found: FoundKeys): Group {
    const keys = this.#by.map((key) => textOf(key, found[`by_${key}`]))
    const id = JSON.stringify(keys)
    const known = this.#groups.get(id)
    if (known !== undefined) return known
    const group = { keys, sums: { ...NOTHING }, further: new Map<string, bigint>(), absorbed: 0n }
    this.#groups.set(id, group)
    return group
  }
}

const NOTHING: UsageSums = {
  requests: 0n,
  voided: 0n,
  input: 0n,
  cachedInput: 0n,
  cacheWrite: 0n,
  output: 0n,
  reasoning: 0n,
  cost: 0n,
  charged: 0n,
  overrun: 0n,
  expense: 0n,
}

function textOf(key: UsageKey, value: unknown): string | null {
  if (key === 'day') return new Date(Number(value) * DAY_MS).toISOString().slice(0, 10)
  return typeof value === 'string' ? value : null
}

type Names = (table: 'account' | 'key', id: string | null) => string | null

function namesOf(ledger: Database): Names {
  const statements = {
    account: ledger.prepare<{ name: string }, [string]>('SELECT name FROM account WHERE id = ?'),
    key: ledger.prepare<{ name: string }, [string]>('SELECT name FROM key WHERE id = ?'),
  }
  return (table, id) => (id === null ? null : (statements[table].get(id)?.name ?? null))
}

function usageRow(by: readonly UsageKey[], { keys, sums, further, absorbed }: Group, nameOf: Names): UsageRow {
  const { requests, voided, cost, charged, overrun, expense } = sums
  const keyOf = (key: UsageKey): string | null => keys[by.indexOf(key)] ?? null
  return {
    keys,
    accountName: nameOf('account', keyOf('account')),
    keyName: nameOf('key', keyOf('key')),
    requests,
    voided,
    units: unitsOf(sums, further),
    cost,
    charged,
    overrun,
    expense,
    absorbed,
  }
}

function unitsOf(sums: UsageSums, further: ReadonlyMap<string, bigint>): Record<keyof Usage, bigint> {
  const { input, cachedInput, cacheWrite, output, reasoning } = sums
  const rest = Object.fromEntries(FURTHER_KINDS.map((kind) => [kind, further.get(kind) ?? 0n])) as Further
  return { input, cachedInput, cacheWrite, output, reasoning, ...rest }
}

type Further = Record<(typeof FURTHER_KINDS)[number], bigint>

function compareKeys(one: UsageRow['keys'], other: UsageRow['keys']): number {
  for (const [at, key] of one.entries()) {
    const against = other[at] ?? null
    if (key === against) continue
    if (key === null) return 1
    if (against === null) return -1
    return key < against ? -1 : 1
  }
  return 0
}
