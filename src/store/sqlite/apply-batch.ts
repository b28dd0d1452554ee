import { assert } from '../../lib/index.ts'
import { accountRefusal, isAccountCommand } from './account-commands.ts'
import { applySettlements } from './apply-settlements.ts'
import { backendRefusal, isBackendCommand } from './backend-commands.ts'
import type { Batch, BatchEnd, Command, CommandEnd, NotedCommand } from './batch.ts'
import type { LedgerStatements } from './ledger-statements.ts'
import { describeError, failureKind, sqliteErrorCode } from './sqlite-error.ts'

type Applied = Omit<Extract<BatchEnd, { kind: 'committed' }>, 'kind'>

/**
 * Writes a batch inside the caller's transaction. A hold or a command that a constraint refuses is answered for itself (a statement that
 * fails is undone alone); a settlement that is refused throws: it may never be dropped, so the program must not go on.
 */
export function applyBatch(statements: LedgerStatements, batch: Batch, epoch: number): Applied {
  const refusedHolds: (readonly [string, string])[] = []
  for (const hold of batch.holds) {
    const refusal = refusalOf(() => statements.insertHold(hold, epoch))
    if (refusal !== null) refusedHolds.push([hold.requestId, describeError(refusal)])
  }
  for (const [requestId, checkpoint] of batch.checkpoints) statements.checkpoint(requestId, checkpoint)
  applySettlements(statements, batch.settlements, batch.settlementsAlone)
  for (const part of batch.windows) statements.putWindow(part)
  // What a constraint refuses is left out: a backend's health may not cost a settlement.
  for (const causes of batch.causes) refusalOf(() => statements.putFoundCauses(causes))
  for (const fault of batch.faults) refusalOf(() => statements.putFoundFault(fault))
  return { refusedHolds, commands: batch.commands.map((noted) => applyCommand(statements, noted)) }
}

/** The change, its row of the audit and its answer under an idempotency key: all of them or none. */
function applyCommand(statements: LedgerStatements, { command, note }: NotedCommand): CommandEnd {
  if (note !== null && note.claim !== null && statements.isClaimed(note.claim)) return CLAIMED
  let end: CommandEnd | undefined
  const refusal = refusalOf(() =>
    statements.atomically(() => {
      end = runCommand(statements, command)
      if (note !== null && end.kind === 'done') statements.writeNote(note, end.answer)
    }),
  )
  if (refusal !== null) return refusedCommand(command, refusal)
  assert(end !== undefined, 'a command ended without an answer')
  return end
}

function runCommand(statements: LedgerStatements, command: Command): CommandEnd {
  switch (command.kind) {
    case 'account':
    case 'account_change':
    case 'key':
    case 'key_change':
    case 'revoke':
      return statements.runAccountCommand(command)
    case 'entry':
    case 'lot_end':
      return statements.runEntryCommand(command)
    case 'webhook':
    case 'webhook_end':
    case 'webhook_test':
    case 'event_tried':
    case 'reseal_webhooks':
    case 'prune_events':
      return statements.runWebhookCommand(command)
    case 'proven':
      return statements.runProofCommand(command)
    case 'management_key':
    case 'management_key_end':
    case 'forget_answers':
      return statements.runAdminCommand(command)
    case 'operator_cause':
    case 'quarantine_end':
    case 'own_credential':
    case 'own_credential_change':
    case 'own_credential_end':
    case 'reseal':
      return statements.runBackendCommand(command)
    case 'keep_stored':
    case 'forget_stored':
    case 'prune_stored':
      return statements.runStoredCommand(command)
  }
}

/** Whoever asks twice at once waits for the first; this is for those that cannot. */
const CLAIMED: CommandEnd = {
  kind: 'refused',
  code: 'conflict',
  message: 'The Idempotency-Key was used for another request meanwhile.',
}

/** In words for who gave the command: which constraint it met. */
function refusedCommand(command: Command, refusal: unknown): CommandEnd {
  const code = sqliteErrorCode(refusal)
  if (isBackendCommand(command)) return backendRefusal(command, code)
  if (isAccountCommand(command)) return accountRefusal(command, code)
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return { kind: 'refused', code: 'conflict', message: 'There is such a key already.' }
  }
  const message = command.kind === 'entry' ? 'The amount is out of range.' : 'A field is out of range.'
  return { kind: 'refused', code: 'invalid_request', message }
}

/** The constraint error that `run` ended with; null when it ended well. Anything else is thrown. */
function refusalOf(run: () => void): unknown {
  try {
    run()
    return null
  } catch (error) {
    if (failureKind(error) === 'refused') return error
    throw error
  }
}
