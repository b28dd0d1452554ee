import type { BackendId, Checkpoint, FoundCauses, FoundFault, Hold } from '../../domain/index.ts'
import type { Durable, RequestRecord, SettlementRow } from '../contract.ts'
import type { WindowPart } from '../keys-contract.ts'
import { type Batch, type CommandAnswers, encodeBatch, type NotedCommand } from './batch.ts'

export interface QueuedCommand extends NotedCommand {
  readonly resolve: (answer: CommandAnswers[keyof CommandAnswers]) => void
  readonly reject: (error: Error) => void
}

const RECORDS_MAX = 10_000
const NONE_REFUSED: ReadonlyMap<string, string> = new Map()

/** Items on their way into one batch, and who waits for them. Holds are known by request, so that a settlement can take its hold's place. */
export class Gathering {
  /** When its first item came, µs on the monotonic clock; null while it is empty. */
  beganUs: number | null = null
  readonly holds = new Map<string, Hold>()
  readonly checkpoints = new Map<string, Checkpoint>()
  settlements: SettlementRow[] = []
  readonly windows = new Set<WindowPart>()
  readonly causes = new Map<BackendId, FoundCauses>()
  /** By credential and secret. */
  readonly faults = new Map<string, FoundFault>()
  commands: QueuedCommand[] = []
  records: RequestRecord[] = []
  /** Those of batches before that failed, whose settlements are in this one now. */
  readonly #carried: PromiseWithResolvers<void>[] = []
  readonly #settled = Promise.withResolvers<void>()
  readonly #held = Promise.withResolvers<ReadonlyMap<string, string>>()

  constructor() {
    this.#held.promise.catch(() => {}) // a hold that nobody waits for is no unhandled rejection
  }

  get count(): number {
    const { holds, checkpoints, settlements, windows, causes, faults, commands, records } = this
    const kept = settlements.length + windows.size + causes.size + faults.size
    return holds.size + checkpoints.size + kept + commands.length + records.length
  }

  /** Resolves with the holds that were refused, and why; rejects when the commit failed. */
  get held(): Promise<ReadonlyMap<string, string>> {
    return this.#held.promise
  }

  get settled(): Durable {
    return this.#settled.promise
  }

  encode(number: number): string {
    const { holds, checkpoints, settlements, windows, causes, faults, commands, records } = this
    const batch: Batch = {
      number,
      holds: [...holds.values()],
      checkpoints: [...checkpoints],
      settlements,
      windows: [...windows],
      causes: [...causes.values()],
      faults: [...faults.values()],
      commands: commands.map(({ command, note }) => ({ command, note })),
      records,
    }
    return encodeBatch(batch)
  }

  /** Everything is on disk. */
  resolve(refusedHolds: readonly (readonly [string, string])[]): void {
    this.#held.resolve(refusedHolds.length === 0 ? NONE_REFUSED : new Map(refusedHolds))
    this.#settled.resolve()
    for (const { resolve } of this.#carried) resolve()
  }

  /** Gives up all that may be refused: holds and commands. Checkpoints go with them, the next ones are a few seconds away. */
  refuse(error: Error): void {
    this.#held.reject(error)
    for (const { reject } of this.commands) reject(error)
    this.holds.clear()
    this.checkpoints.clear()
    this.commands = []
  }

  /** Puts the settlements, windows, causes, faults and records of a batch that failed before its own. Answers how many records were too many. */
  carry(failed: Gathering): number {
    this.settlements = [...failed.settlements, ...this.settlements]
    for (const part of failed.windows) this.windows.add(part)
    for (const [backend, causes] of failed.causes) if (!this.causes.has(backend)) this.causes.set(backend, causes)
    for (const [name, fault] of failed.faults) if (!this.faults.has(name)) this.faults.set(name, fault)
    this.#carried.push(...failed.#carried, failed.#settled)
    const records = [...failed.records, ...this.records]
    this.records = records.slice(-RECORDS_MAX)
    return records.length - this.records.length
  }
}
