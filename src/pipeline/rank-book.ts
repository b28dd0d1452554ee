import type { Candidate } from '../domain/index.ts'

/** By which ranking a candidate has its place, and with which key: smaller comes first. */
export interface Rank {
  readonly rule: string
  readonly key: number
}

/** Why each candidate of a plan has its place, for who asks: planning writes it down only where it is handed one. */
export class RankBook {
  readonly #ranks = new Map<string, readonly Rank[]>()

  /** From left to right: the first that differs decides. */
  of(candidate: Candidate): readonly Rank[] {
    return this.#ranks.get(nameOf(candidate)) ?? []
  }

  write(candidate: Candidate, ranks: readonly Rank[]): void {
    this.#ranks.set(nameOf(candidate), ranks)
  }

  /** What comes before all that is written of it yet. */
  precede(candidates: readonly Candidate[], rank: Rank): void {
    for (const candidate of candidates) this.write(candidate, [rank, ...this.of(candidate)])
  }
}

/** The first ranking by which one stands behind the one before it; null: by none, they stand as they came. */
export function decidedBy(before: readonly Rank[], behind: readonly Rank[]): string | null {
  const at = behind.findIndex(({ rule, key }, index) => before[index]?.rule === rule && before[index].key !== key)
  return behind[at]?.rule ?? null
}

/** As it is told: null is the key of what is not known. */
export const ranksView = (ranks: readonly Rank[]): readonly object[] =>
  ranks.map(({ rule, key }) => ({ rule, key: Math.abs(key) === Number.MAX_VALUE ? null : key }))

const nameOf = ({ offer, own }: Candidate): string => `${offer.id} ${own?.id ?? ''}`
