import { type Checkpoint, GatewayError, type Hold, larger, negate, ZERO } from '../../src/domain/index.ts'
import { assert } from '../../src/lib/index.ts'
import type {
  ChangeNote,
  LearnedWrites,
  RecordsWrites,
  SettlementRow,
  Writer,
  WriterStats,
} from '../../src/store/index.ts'
import { accountWrites } from './store-double-accounts.ts'
import { adminWrites, withNote } from './store-double-admin.ts'
import { backendWrites } from './store-double-backends.ts'
import { creditWrites, moveBalance, useLots } from './store-double-credits.ts'
import { learnedWrites } from './store-double-learned.ts'
import { storedWrites } from './store-double-stored.ts'
import type { Tables } from './store-double-tables.ts'
import { webhookWrites } from './store-double-webhooks.ts'

/** The disk of a store double, in the test's hand. Left alone it commits and acknowledges at the end of each tick. */
export interface Disk {
  /** From now on nothing is committed but by `commit`, nothing acknowledged but by `acknowledge`. */
  holdBack(): void
  /** Commits and acknowledges what waits, and goes back to doing both by itself. */
  letGo(): void
  /** Writes what is queued as one batch, or fails to. Nothing happens when nothing is queued. */
  commit(): void
  /** Batches whose callers have not been told yet. */
  readonly unacknowledged: number
  /** Tells the callers of one batch what became of it: the oldest, or the one at `index`. */
  acknowledge(index?: number): void
  /** From now on every commit fails; after the first that does, the writer does not accept. */
  fail(): void
  /** Commits pass again; what was kept is written at once, which is the probe. */
  heal(): void
}

type Tell = () => void

interface Item {
  readonly kind: 'hold' | 'settle' | 'other'
  readonly requestId: string | null
  /** Writes it, knowing which requests settle in the same batch; answers how its caller is told. */
  readonly apply: (settledHere: ReadonlySet<string | null>) => Tell
  readonly failed: Tell
}

const QUEUED_MAX = 10_000

/** Makes the writer of a store double over its tables, as `src/store/contract.ts` says; the disk is the test's handle on it. */
export function createWriterDouble(tables: Tables): { writer: Writer; disk: Disk } {
  const queue = new Queue()
  return {
    writer: {
      accepting: () => queue.accepting(),
      stats: () => queue.stats(),
      ...writes(tables, queue),
      ...learnedWrites(tables),
      pruneRecords: async () => false,
      keepContent: (content) => void tables.contents.set(content.requestId, content),
      async resealContents(contents) {
        for (const one of contents) if (tables.contents.has(one.requestId)) tables.contents.set(one.requestId, one)
      },
    },
    disk: queue,
  }
}

class Queue implements Disk {
  #items: Item[] = []
  readonly #told: Tell[][] = []
  readonly #counts = { batches: 0, items: 0, failedCommits: 0 }
  #isHeldBack = false
  #isFailing = false
  #isRefusing = false
  #isScheduled = false

  push(item: Item): void {
    this.#items.push(item)
    if (this.#isHeldBack || this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      if (!this.#isHeldBack) this.#flush()
    })
  }

  /** The hold that has not been committed; it is not committed any more. */
  takeHold(requestId: string): Item | undefined {
    const at = this.#items.findIndex((item) => item.kind === 'hold' && item.requestId === requestId)
    return at < 0 ? undefined : this.#items.splice(at, 1)[0]
  }

  accepting(): boolean {
    return !this.#isRefusing && this.#items.length < QUEUED_MAX
  }

  stats(): WriterStats {
    return { queued: this.#items.length, ...this.#counts }
  }

  holdBack(): void {
    this.#isHeldBack = true
  }

  letGo(): void {
    this.#isHeldBack = false
    this.#flush()
  }

  commit(): void {
    const batch = this.#items
    if (batch.length === 0 && !this.#isRefusing) return
    this.#items = []
    this.#counts.batches += 1
    this.#isRefusing = this.#isFailing
    const settlements = batch.filter(({ kind }) => kind === 'settle')
    if (this.#isFailing) {
      this.#counts.failedCommits += 1
      this.#items = settlements
      this.#told.push(batch.filter(({ kind }) => kind !== 'settle').map(({ failed }) => failed))
      return
    }
    this.#counts.items += batch.length
    const settledHere = new Set(settlements.map(({ requestId }) => requestId))
    const holdsFirst = [...batch.filter(({ kind }) => kind === 'hold'), ...batch.filter(({ kind }) => kind !== 'hold')]
    this.#told.push(holdsFirst.map((item) => item.apply(settledHere)))
  }

  get unacknowledged(): number {
    return this.#told.length
  }

  acknowledge(index = 0): void {
    const [batch] = this.#told.splice(index, 1)
    for (const tell of batch ?? []) tell()
  }

  fail(): void {
    this.#isFailing = true
  }

  heal(): void {
    this.#isFailing = false
    this.commit()
    if (!this.#isHeldBack) this.#flush()
  }

  #flush(): void {
    this.commit()
    while (this.#told.length > 0) this.acknowledge()
  }
}

function writes(
  tables: Tables,
  queue: Queue,
): Omit<Writer, 'accepting' | 'stats' | keyof LearnedWrites | keyof RecordsWrites> {
  /** A change that answers a value or a `GatewayError`. */
  function change<T>(
    kind: Item['kind'],
    requestId: string | null,
    apply: (settledHere: ReadonlySet<string | null>) => T,
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    queue.push({
      kind,
      requestId,
      apply(settledHere) {
        try {
          const value = apply(settledHere)
          return () => resolve(value)
        } catch (error) {
          return () => reject(error)
        }
      },
      failed: () => reject(new GatewayError('storage_unavailable', 'The ledger cannot be written.')),
    })
    return promise
  }
  /** A change that nobody is told of. */
  const aside = (apply: () => void): void => {
    change('other', null, apply).catch(() => {})
  }
  const noted = <T>(note: ChangeNote | undefined, apply: () => T): Promise<T> =>
    change('other', null, () => withNote(tables, note, apply))

  return {
    hold: (hold) =>
      change('hold', hold.requestId, (settledHere) => {
        if (!settledHere.has(hold.requestId)) writeHold(tables, hold)
      }),
    hurry: () => {},
    settleWithHold(row) {
      const held = queue.takeHold(row.requestId)
      if (held === undefined) return false
      const apply = (): Tell => {
        writeSettlement(tables, row)
        return held.apply(new Set([row.requestId]))
      }
      queue.push({ kind: 'other', requestId: row.requestId, apply, failed: held.failed })
      return true
    },
    settle: (row) => change('settle', row.requestId, () => writeSettlement(tables, row)),
    checkpoint: (requestId, checkpoint) => aside(() => writeCheckpoint(tables, requestId, checkpoint)),
    record: (record) =>
      aside(() => {
        tables.records.set(record.requestId, record)
      }),
    window: (part) =>
      aside(() => {
        tables.windows.set(`${part.keyId} ${part.firstAtMs}`, { ...part })
      }),
    ...accountWrites(tables, noted),
    ...creditWrites(tables, noted),
    ...webhookWrites(tables, noted),
    ...adminWrites(tables, noted),
    markProven: async () => true,
    ...storedWrites(tables, (apply) => noted(undefined, apply)),
    ...backendWrites(tables, noted, aside),
  }
}

function writeHold({ holds, settlements }: Tables, hold: Hold): void {
  assert(!holds.has(hold.requestId) && !settlements.has(hold.requestId), `${hold.requestId} is held a second time`)
  holds.set(hold.requestId, { hold, checkpoint: null })
}

function writeCheckpoint({ holds }: Tables, requestId: string, { amount = ZERO, ...checkpoint }: Checkpoint): void {
  const open = holds.get(requestId)
  if (open === undefined) return
  holds.set(requestId, { hold: { ...open.hold, amount: larger(open.hold.amount, amount) }, checkpoint })
}

/** By primary key: the same settlement once more changes nothing. */
function writeSettlement(tables: Tables, row: SettlementRow): void {
  if (tables.settlements.has(row.requestId)) return
  assert(row.charged + row.overrun === row.cost, `the postings of ${row.requestId} do not sum to zero`)
  tables.settlements.set(row.requestId, { ...row, seq: tables.settlements.size + 1 })
  tables.holds.delete(row.requestId)
  useLots(tables, row)
  moveBalance(tables, row.accountId, negate(row.charged))
}
