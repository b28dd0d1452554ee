import { GatewayError } from '../../domain/index.ts'
import type { Command } from './batch.ts'
import { noAccount, type Refused, refused } from './command-end.ts'
import { sqliteErrorCode } from './sqlite-error.ts'

/** In words for who gave the command: which constraint it met, or which row could not be read. */
export function refusedCommand(command: Command, error: unknown): Refused {
  if (error instanceof GatewayError) return refused(error.code, error.message)
  switch (sqliteErrorCode(error)) {
    case 'SQLITE_CONSTRAINT_FOREIGNKEY':
      if (command.kind === 'key') return noAccount(command.key.accountId)
      if (command.kind === 'own_credential') return noAccount(command.credential.accountId)
      break
    case 'SQLITE_CONSTRAINT_UNIQUE':
    case 'SQLITE_CONSTRAINT_PRIMARYKEY':
      return refused('conflict', whatIsThere(command))
  }
  return refused(
    'invalid_request',
    command.kind === 'entry' ? 'The amount is out of range.' : 'A field is out of range.',
  )
}

function whatIsThere(command: Command): string {
  switch (command.kind) {
    case 'account':
      return `There is an account '${command.account.name}' already.`
    case 'account_change':
      return `There is an account '${command.wish.change.name}' already.`
    case 'own_credential':
    case 'own_credential_change':
      return 'The account has a credential of this name for this provider already.'
    default:
      return 'There is such a key already.'
  }
}
