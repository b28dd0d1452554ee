import type { Database } from 'bun:sqlite'
import { ACCOUNT_RUNNERS } from './account-commands.ts'
import { ADMIN_RUNNERS } from './admin-commands.ts'
import { BACKEND_RUNNERS } from './backend-commands.ts'
import type { AnyCommandEnd, Command, CommandAnswers } from './batch.ts'
import type { Runners } from './command-end.ts'
import { ENTRY_RUNNERS } from './entry-commands.ts'
import { PROOF_RUNNERS } from './proof-commands.ts'
import { STORED_RUNNERS } from './stored-commands.ts'
import { WEBHOOK_RUNNERS } from './webhook-commands.ts'

type ByKind = { readonly [C in Command as C['kind']]: C }

const RUNNERS: { readonly [K in keyof ByKind]: (db: Database, command: ByKind[K]) => AnyCommandEnd } = {
  ...ACCOUNT_RUNNERS,
  ...ADMIN_RUNNERS,
  ...BACKEND_RUNNERS,
  ...ENTRY_RUNNERS,
  ...PROOF_RUNNERS,
  ...STORED_RUNNERS,
  ...WEBHOOK_RUNNERS,
} satisfies Runners<Command, CommandAnswers>

/** Does one command, as `Runners` has it. */
export const runCommand = (db: Database, command: Command): AnyCommandEnd => run(db, command.kind, command)

const run = <K extends keyof ByKind>(db: Database, kind: K, command: ByKind[K]): AnyCommandEnd =>
  RUNNERS[kind](db, command)
