import type { BackendId, Checkpoint, FoundCauses, FoundFault } from '../../domain/index.ts'
import type { Durable, RequestRecord, SettlementRow } from '../contract.ts'
import type { WindowPart } from '../keys-contract.ts'
import { type Batch, type CommandAnswers, encodeBatch, type NotedCommand } from './batch.ts'
import type { QueuedHold } from './queued-hold.ts'
import { recordValues } from './record-values.ts'
import { settlementValues } from './settlement-values.ts'
import { unavailable } from './unavailable.ts'

export interface QueuedCommand extends NotedCommand {
  readonly resolve: (answer: CommandAnswers[keyof CommandAnswers]) => void
  readonly reject: (error: Error) => void
}

const RECORDS_MAX = 10_000

/** Items on their way into one batch, and who waits for them. Holds are known by request, so that a settlement can take its hold's place. */
export class Gathering {
  /** When its first item came, µs on the monotonic clock; null while it is empty. */
  beganUs: number | null = null
  readonly holds = new Map<string, QueuedHold>()
  readonly checkpoints = new Map<string, Checkpoint>()
  settlements: SettlementRow[] = []
  /** Settlements that stand or fall with this batch, for their holds do. */
  #withHolds: SettlementRow[] = []
  /** Holds whose settlement took their place. */
  #replaced: QueuedHold[] = []
  readonly windows = new Set<WindowPart>()
  readonly causes = new Map<BackendId, FoundCauses>()
  /** By credential and secret. */
  readonly faults = new Map<string, FoundFault>()
  commands: QueuedCommand[] = []
  records: RequestRecord[] = []
  /** Those of batches before that failed, whose settlements are in this one now. */
  readonly #carried: PromiseWithResolvers<void>[] = []
  readonly #settled = Promise.withResolvers<void>()

  get count(): number {
    const { holds, checkpoints, settlements, windows, causes, faults, commands, records } = this
    const kept = settlements.length + this.#withHolds.length + windows.size + causes.size + faults.size
    return holds.size + checkpoints.size + kept + commands.length + records.length
  }

  get settled(): Durable {
    return this.#settled.promise
  }

  /** Takes the place of the request's hold, where that is in here. It is written again when this batch fails, until it is on disk. */
  settle(row: SettlementRow): void {
    const held = this.holds.get(row.requestId)
    if (held !== undefined) this.#replace(held)
    this.checkpoints.delete(row.requestId)
    this.settlements.push(row)
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

  encode(number: number, isProbe: boolean): string {
    const { holds, checkpoints, settlements, windows, causes, faults, commands, records } = this
    const batch: Batch = {
      number,
      isProbe,
      holds: [...holds.values()].map(({ hold }) => hold),
      checkpoints: [...checkpoints],
      settlements: settlements.map(settlementValues),
      settlementsAlone: this.#withHolds.map(settlementValues),
      windows: [...windows],
      causes: [...causes.values()],
      faults: [...faults.values()],
      commands: commands.map(({ command, note }) => ({ command, note })),
      records: records.map(recordValues),
    }
    return encodeBatch(batch)
  }

  /** Everything is on disk. */
  resolve(refusedHolds: readonly (readonly [string, string])[]): void {
    const refused = new Map(refusedHolds)
    for (const [requestId, { resolve, reject }] of this.holds) {
      const why = refused.get(requestId)
      if (why === undefined) resolve()
      else reject(unavailable(`the hold of ${requestId} was refused: ${why}`))
    }
    for (const { resolve } of this.#replaced) resolve()
    this.#settled.resolve()
    for (const { resolve } of this.#carried) resolve()
  }

  /** Gives up all that may be refused: holds, with what was to take their place, and commands. A checkpoint without its hold changes nothing. */
  refuse(error: Error): void {
    for (const { reject } of this.holds.values()) reject(error)
    for (const { reject } of this.#replaced) reject(error)
    for (const { reject } of this.commands) reject(error)
    this.holds.clear()
    this.#replaced = []
    this.#withHolds = []
    this.commands = []
  }

  /** Puts the settlements, checkpoints (steps that were granted are among them), windows, causes, faults and records of a batch that failed before its own. Answers how many records were too many. */
  carry(failed: Gathering): number {
    this.settlements = [...failed.settlements, ...this.settlements]
    for (const [id, checkpoint] of failed.checkpoints)
      if (!this.checkpoints.has(id)) this.checkpoints.set(id, checkpoint)
    for (const part of failed.windows) this.windows.add(part)
    for (const [backend, causes] of failed.causes) if (!this.causes.has(backend)) this.causes.set(backend, causes)
    for (const [name, fault] of failed.faults) if (!this.faults.has(name)) this.faults.set(name, fault)
    this.#carried.push(...failed.#carried, failed.#settled)
    const records = [...failed.records, ...this.records]
    this.records = records.slice(-RECORDS_MAX)
    return records.length - this.records.length
  }
}
