import type { KeyBudgets } from '../domain/index.ts'
import { Bug, type Clock, createSecondChance, type SharedRead, sharedRead } from '../lib/index.ts'
import type { Durable, MainReads } from '../store/index.ts'
import type { BudgetLeft } from './contract.ts'
import {
  budgetLeft,
  createLiveKey,
  knownSpend,
  type LiveKey,
  rollWindows,
  takeSpend,
  whenAcknowledged,
} from './live-key.ts'

/** The live keys by id: those with budgets that were used lately. A key without budgets has none. */
export interface LiveKeys {
  /** Whether the key has been opened and what it spent is known. */
  isOpen(keyId: string): boolean
  /** The key, with its windows up to now; undefined when nobody has begun to open it. */
  find(keyId: string): LiveKey | undefined
  /** Makes the live key: what it spent before is read. Rejects as a shared read does. */
  open(keyId: string): Promise<void>
  /** The budget that leaves least, now or for an open hold of that time. Throws `Bug` for a key that is not open. */
  left(keyId: string, budgets: KeyBudgets, heldAtMs?: number): BudgetLeft | null
}

export interface LiveKeysOptions {
  readonly reads: Pick<MainReads, 'keySpend'>
  readonly clock: Clock
  readonly sizeMax: number
  /** Called in the tick in which a live key is made: the ledger hands it the holds that are open already. */
  readonly adopt: (key: LiveKey) => void
  /** Resolves when all settlements that were appended before are on disk; null when none was. */
  readonly lastPosting: () => Durable | null
}

/** Makes the map of live keys; idle ones make room for new ones, and are read again when they are needed. */
export function createLiveKeys({ reads, clock, sizeMax, adopt, lastPosting }: LiveKeysOptions): LiveKeys {
  const keys = createSecondChance<LiveKey>({ sizeMax, isIdle, onEvict: (keyId) => opened.drop(keyId) })
  const opened: SharedRead<true> = sharedRead({ read: openOne, clock, sizeMax })

  /**
   * Every settlement of the key since it is live is counted in memory, and the disk tells the ones before. What it tells is exact when it is
   * asked in a tick in which all settlements so far are on disk: those from before the key was live, and its own.
   */
  async function openOne(keyId: string): Promise<true> {
    const key = keys.get(keyId) ?? begin(keyId)
    await lastPosting()
    await whenAcknowledged(key) // settlements are told in turns: its own may come after the last
    if (key.isOpen) return true
    rollWindows(key, clock.wallMs())
    const known = knownSpend(key)
    const { day, week, month } = known
    const spend = await reads.keySpend(keyId, { day: day.firstDay, week: week.firstDay, month: month.firstDay })
    rollWindows(key, clock.wallMs())
    if (!key.isOpen) takeSpend(key, spend, known) // whoever asked first has told
    return true
  }

  function begin(keyId: string): LiveKey {
    const key = createLiveKey(keyId, clock.wallMs())
    keys.add(key)
    adopt(key)
    return key
  }

  function find(keyId: string): LiveKey | undefined {
    const key = keys.get(keyId)
    if (key !== undefined) rollWindows(key, clock.wallMs())
    return key
  }

  return {
    find,
    isOpen: (keyId) => keys.get(keyId)?.isOpen === true,
    async open(keyId) {
      await opened.load(keyId)
    },
    left(keyId, budgets, heldAtMs) {
      const key = find(keyId)
      if (key?.isOpen !== true) throw new Bug(`key ${keyId} is not open`)
      return budgetLeft(key, budgets, heldAtMs ?? clock.wallMs())
    },
  }
}

const isIdle = ({ windows, unacknowledged, isOpen }: LiveKey): boolean =>
  isOpen && windows.total.openHolds === 0 && unacknowledged === 0
