import type { Accounts } from '../../accounts/index.ts'
import type { AgentStats } from '../../agents/index.ts'
import type { Catalogue } from '../../domain/index.ts'
import type { Ledger } from '../../ledger/index.ts'
import type { Clock, Random } from '../../lib/index.ts'
import type { Traffic } from '../../pipeline/index.ts'
import type { Store } from '../../store/index.ts'
import type { Log } from '../../telemetry/index.ts'

/** What the admin API works with. */
export interface AdminDeps {
  readonly store: Store
  readonly accounts: Accounts
  readonly ledger: Ledger
  catalogue(): Catalogue
  /** By backend id; backends that were never used have none. */
  agentStats(): ReadonlyMap<string, AgentStats>
  readonly traffic: Traffic
  readonly clock: Clock
  readonly random: Random
  /** Who calls: `local:<uid>` on the socket, whose file permission is the credential. */
  readonly actor: string
  readonly version: string
  readonly log: Log
}
