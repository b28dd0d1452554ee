import type { BackendId, Checkpoint, FoundCauses, FoundFault } from '../../domain/index.ts'
import type { Durable, RequestRecord, SettlementRow } from '../contract.ts'
import type { WindowPart } from '../keys-contract.ts'
import type { Batch, BatchText, CommandAnswers, NotedCommand } from './batch.ts'
import { holdValues } from './hold-values.ts'
import type { QueuedHold } from './queued-hold.ts'
import { recordValues } from './record-values.ts'
import { RowList } from './row-list.ts'
import { settlementValues } from './settlement-values.ts'
import { tellInTurns, type Waiting } from './tell-in-turns.ts'
import { unavailable } from './unavailable.ts'

export interface QueuedCommand extends NotedCommand {
  readonly resolve: (answer: CommandAnswers[keyof CommandAnswers]) => void
  readonly reject: (error: Error) => void
}

/** Settlements that are told together that they are on disk. */
interface Told extends Waiting {
  readonly promise: Durable
  count: number
}

const RECORDS_MAX = 10_000
const TOLD_TOGETHER = 16

/** Items on their way into one batch, and who waits for them. Holds are known by request, so that a settlement can take its hold's place. */
export class Gathering {
  /** When its first item came, µs on the monotonic clock; null while it is empty. */
  beganUs: number | null = null
  readonly holds = new Map<string, QueuedHold>()
  readonly checkpoints = new Map<string, Checkpoint>()
  settlements = settlementList()
  /** Settlements that stand or fall with this batch, for their holds do. */
  #withHolds = settlementList()
  /** Holds whose settlement took their place. */
  #replaced: QueuedHold[] = []
  readonly windows = new Set<WindowPart>()
  readonly causes = new Map<BackendId, FoundCauses>()
  /** By credential and secret. */
  readonly faults = new Map<string, FoundFault>()
  commands: QueuedCommand[] = []
  records = new RowList<RequestRecord>(recordValues)
  /** Those of batches before that failed, whose settlements are in this one now. */
  readonly #carried: Told[] = []
  readonly #settled: Told[] = []

  get count(): number {
    const { holds, checkpoints, settlements, windows, causes, faults, commands, records } = this
    const kept = settlements.rows.length + this.#withHolds.rows.length + windows.size + causes.size + faults.size
    return holds.size + checkpoints.size + kept + commands.length + records.rows.length
  }

  /**
   * Takes the place of the request's hold, where that is in here. It is written again when this batch fails, until it is on disk: then the answer
   * resolves.
   */
  settle(row: SettlementRow): Durable {
    const held = this.holds.get(row.requestId)
    if (held !== undefined) this.#replace(held)
    this.checkpoints.delete(row.requestId)
    this.settlements.push(row)
    return this.#waitTogether()
  }

  #waitTogether(): Durable {
    let last = this.#settled.at(-1)
    if (last === undefined || last.count === TOLD_TOGETHER) {
      last = Object.assign(Promise.withResolvers<void>(), { count: 0 })
      this.#settled.push(last)
    }
    last.count++
    return last.promise
  }

  /**
   * Takes the place of the request's hold; false when that is not in here. When this batch fails there is nothing to settle, as there would be no
   * hold.
   */
  settleWithHold(row: SettlementRow): boolean {
    const held = this.holds.get(row.requestId)
    if (held === undefined) return false
    this.#replace(held)
    this.#withHolds.push(row)
    return true
  }

  /** Keeps who waits for a hold that is not to be written itself. */
  #replace(held: QueuedHold): void {
    this.holds.delete(held.hold.requestId)
    this.#replaced.push(held)
  }

  encode(number: number, isProbe: boolean): BatchText {
    const { holds, checkpoints, settlements, windows, causes, faults, commands, records } = this
    const rest: Omit<Batch, 'settlements' | 'settlementsAlone' | 'records'> = {
      number,
      isProbe,
      holds: Array.from(holds.values(), ({ hold }) => holdValues(hold)),
      checkpoints: [...checkpoints],
      windows: [...windows],
      causes: [...causes.values()],
      faults: [...faults.values()],
      commands: commands.map(({ command, note }) => ({ command, note })),
    }
    return {
      others: JSON.stringify(rest),
      settlements: settlements.json(),
      settlementsAlone: this.#withHolds.json(),
      records: records.json(),
    }
  }

  /** Everything is on disk: all who wait are told, in this turn of the event loop and those after it. */
  resolve(refusedHolds: readonly (readonly [string, string])[]): void {
    for (const [requestId, why] of refusedHolds) {
      this.holds.get(requestId)?.reject(unavailable(`the hold of ${requestId} was refused: ${why}`))
      this.holds.delete(requestId)
    }
    tellInTurns([...this.holds.values(), ...this.#replaced, ...this.#settled, ...this.#carried])
  }

  /** Gives up all that may be refused: holds, with what was to take their place, and commands. A checkpoint without its hold changes nothing. */
  refuse(error: Error): void {
    for (const { reject } of this.holds.values()) reject(error)
    for (const { reject } of this.#replaced) reject(error)
    for (const { reject } of this.commands) reject(error)
    this.holds.clear()
    this.#replaced = []
    this.#withHolds = settlementList()
    this.commands = []
  }

  /** Puts the settlements, checkpoints (steps that were granted are among them), windows, causes, faults and records of a batch that failed before its own. Answers how many records were too many. */
  carry(failed: Gathering): number {
    this.settlements = settlementList([...failed.settlements.rows, ...this.settlements.rows])
    for (const [id, checkpoint] of failed.checkpoints)
      if (!this.checkpoints.has(id)) this.checkpoints.set(id, checkpoint)
    for (const part of failed.windows) this.windows.add(part)
    for (const [backend, causes] of failed.causes) if (!this.causes.has(backend)) this.causes.set(backend, causes)
    for (const [name, fault] of failed.faults) if (!this.faults.has(name)) this.faults.set(name, fault)
    this.#carried.push(...failed.#carried, ...failed.#settled)
    const records = [...failed.records.rows, ...this.records.rows]
    this.records = new RowList<RequestRecord>(recordValues, records.slice(-RECORDS_MAX))
    return records.length - this.records.rows.length
  }
}

const settlementList = (rows: SettlementRow[] = []): RowList<SettlementRow> => new RowList(settlementValues, rows)
