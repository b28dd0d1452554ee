import { GatewayError } from '../../domain/index.ts'
import { applySettlements } from './apply-settlements.ts'
import type { AnyCommandEnd, Batch, BatchEnd, NotedCommand } from './batch.ts'
import { refused } from './command-end.ts'
import type { LedgerStatements } from './ledger-statements.ts'
import { refusedCommand } from './refused-command.ts'
import { describeError, failureKind } from './sqlite-error.ts'

type Applied = Omit<Extract<BatchEnd, { kind: 'committed' }>, 'kind'>

/**
 * Writes a batch inside the caller's transaction. A hold or a command that a constraint refuses is answered for itself (a statement that
 * fails is undone alone); a settlement that is refused throws: it may never be dropped, so the program must not go on.
 */
export function applyBatch(statements: LedgerStatements, batch: Batch, epoch: number): Applied {
  const refusedHolds: (readonly [string, string])[] = []
  for (const hold of batch.holds) {
    const refusal = refusalOf(() => statements.insertHold(hold, epoch))
    if (refusal !== null) refusedHolds.push([hold[0], describeError(refusal)])
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
function applyCommand(statements: LedgerStatements, { command, note }: NotedCommand): AnyCommandEnd {
  if (note !== null && note.claim !== null && statements.isClaimed(note.claim)) return CLAIMED
  try {
    return statements.atomically(() => {
      const end = statements.runCommand(command)
      if (note !== null && end.kind === 'done') statements.writeNote(note, end.answer)
      return end
    })
  } catch (error) {
    // A row that cannot be read fails who asks for it, and nothing else of the batch.
    if (failureKind(error) === 'refused' || error instanceof GatewayError) return refusedCommand(command, error)
    throw error
  }
}

/** Whoever asks twice at once waits for the first; this is for those that cannot. */
const CLAIMED = refused('conflict', 'The Idempotency-Key was used for another request meanwhile.')

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
