import type { Checkpoint, FoundCauses, FoundFault } from '../../domain/index.ts'
import type { ChangeNote } from '../change-note.ts'
import type { WindowPart } from '../keys-contract.ts'
import type { AccountAnswers, AccountCommand } from './account-commands.ts'
import type { AdminAnswers, AdminCommand } from './admin-commands.ts'
import type { BackendAnswers, BackendCommand } from './backend-commands.ts'
import type { CommandEnd } from './command-end.ts'
import type { EntryAnswers, EntryCommand } from './entry-commands.ts'
import type { HoldValues } from './hold-values.ts'
import type { ProofAnswers, ProofCommand } from './proof-commands.ts'
import type { RecordValues } from './record-values.ts'
import type { SettlementValues } from './settlement-values.ts'
import type { StoredAnswers, StoredCommand } from './stored-commands.ts'
import type { WebhookAnswers, WebhookCommand } from './webhook-commands.ts'

/** What goes out as one transaction. Applied in this order: holds, checkpoints, settlements, windows, causes, faults, commands; records follow apart. */
export interface Batch {
  /** Counts up within an epoch. */
  readonly number: number
  /** Asks whether commits pass again: it is one even when nothing is in it. */
  readonly isProbe: boolean
  readonly holds: readonly HoldValues[]
  readonly checkpoints: readonly (readonly [requestId: string, checkpoint: Checkpoint])[]
  readonly settlements: readonly SettlementValues[]
  /** Of requests whose hold never was on its way to the disk. */
  readonly settlementsAlone: readonly SettlementValues[]
  readonly windows: readonly WindowPart[]
  readonly causes: readonly FoundCauses[]
  readonly faults: readonly FoundFault[]
  readonly commands: readonly NotedCommand[]
  readonly records: readonly RecordValues[]
}

/** A write that somebody waits for with an answer of its own. */
export type Command =
  | EntryCommand
  | AccountCommand
  | AdminCommand
  | BackendCommand
  | ProofCommand
  | StoredCommand
  | WebhookCommand

/** A command, and what is written beside it when it was done. */
export interface NotedCommand {
  readonly command: Command
  readonly note: ChangeNote | null
}

/** What each kind of command answers when it was done. */
export interface CommandAnswers
  extends AccountAnswers,
    AdminAnswers,
    BackendAnswers,
    EntryAnswers,
    ProofAnswers,
    StoredAnswers,
    WebhookAnswers {}

/** How any of them ended. */
export type AnyCommandEnd = CommandEnd<CommandAnswers[keyof CommandAnswers]>

export type BatchEnd =
  | {
      readonly kind: 'committed'
      /** Holds that a constraint of the table refused, and why: a bug of the caller, which costs the other items nothing. */
      readonly refusedHolds: readonly (readonly [requestId: string, why: string])[]
      /** In the order of the commands. */
      readonly commands: readonly AnyCommandEnd[]
    }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'fatal'; readonly message: string }

type Lists = 'settlements' | 'settlementsAlone' | 'records'

/**
 * A batch on its way to the writer thread, as JSON: cloning it object by object was half of the cost on the main thread, reading names of fields
 * two thirds of the other's. Lists that may be long come in pieces, each the JSON of an array.
 */
export interface BatchText extends Readonly<Record<Lists, readonly string[]>> {
  /** Everything else. */
  readonly others: string
}

/** Reads what the same program wrote. */
export function decodeBatch({ others, settlements, settlementsAlone, records }: BatchText): Batch {
  return {
    ...(JSON.parse(others) as Omit<Batch, Lists>),
    settlements: joined(settlements),
    settlementsAlone: joined(settlementsAlone),
    records: joined(records),
  }
}

const joined = <Row>(pieces: readonly string[]): Row[] => pieces.flatMap((piece) => JSON.parse(piece) as Row[])

/** Whether it is to be committed to the ledger: records alone cost it no transaction. */
export const isForLedger = (batch: Batch): boolean =>
  batch.isProbe ||
  batch.holds.length + batch.checkpoints.length + batch.settlements.length + batch.settlementsAlone.length > 0 ||
  batch.windows.length + batch.causes.length + batch.faults.length + batch.commands.length > 0

/** The end of a batch that is not for the ledger. */
export const NOTHING_WRITTEN: BatchEnd = { kind: 'committed', refusedHolds: [], commands: [] }
