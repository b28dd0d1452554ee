/** Live things by id, bounded: idle ones make room for new ones. */
export interface SecondChance<T extends Living> {
  readonly size: number
  /** Counts as a use: what was just asked for is not the next to be evicted. */
  get(id: string): T | undefined
  /** Of an id that is not there. */
  add(thing: T): void
}

export interface Living {
  readonly id: string
  usedLately: boolean
}

export interface SecondChanceOptions<T extends Living> {
  readonly sizeMax: number
  /** Whether it may go: what it knows can be had again. */
  readonly isIdle: (thing: T) => boolean
  /** In the tick of the eviction. */
  readonly onEvict: (id: string) => void
}

// Bounds the work of one `add`. Every step either evicts or takes a mark away, so the map outgrows `sizeMax` by a 64th, and by what is busy.
const LOOKED_AT_MAX = 64

/**
 * Makes an empty map that evicts by second chance (CLOCK): a hand goes round, takes the mark of use from those it passes and evicts the idle
 * ones without it; so a use costs a flag and not a change of the map. What is added during a lap is first met in the next one.
 */
export function createSecondChance<T extends Living>(options: SecondChanceOptions<T>): SecondChance<T> {
  const { sizeMax, isIdle, onEvict } = options
  const things = new Map<string, T>()
  let lap: readonly T[] = []
  let hand = 0

  function makeRoom(): void {
    for (let lookedAt = 0; things.size >= sizeMax && lookedAt < LOOKED_AT_MAX; lookedAt++) {
      if (hand >= lap.length) {
        lap = [...things.values()]
        hand = 0
      }
      const thing = lap[hand++]
      if (thing === undefined) return
      if (!thing.usedLately && isIdle(thing)) {
        things.delete(thing.id)
        onEvict(thing.id)
      }
      thing.usedLately = false
    }
  }

  return {
    get size() {
      return things.size
    },
    get(id) {
      const thing = things.get(id)
      if (thing !== undefined) thing.usedLately = true
      return thing
    },
    add(thing) {
      makeRoom()
      things.set(thing.id, thing)
    },
  }
}
