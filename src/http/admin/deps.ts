import type { Accounts, OwnCredentials, Rotation } from '../../accounts/index.ts'
import type { AgentStats, MeasuredCall } from '../../agents/index.ts'
import type { CatalogueChanges } from '../../catalogue/index.ts'
import type { Backend, Catalogue, Money, Usage } from '../../domain/index.ts'
import type { Health } from '../../health/index.ts'
import type { BytesPerToken, Ledger } from '../../ledger/index.ts'
import type { Clock, Random } from '../../lib/index.ts'
import type { PipelineSettings, Traffic } from '../../pipeline/index.ts'
import type { By, Store, TimingSplit } from '../../store/index.ts'
import type { Log, NotFound } from '../../telemetry/index.ts'
import type { Vault } from '../../vault/index.ts'

/** What the admin API works with. */
export interface AdminDeps {
  readonly store: Store
  readonly vault: Vault
  readonly ownCredentials: OwnCredentials
  rotateMasterKey(by: By): Promise<Rotation>
  /** Why a place that a customer names can never be used; null when it may be tried. Looks no name up. */
  placeRefusal(url: string): string | null
  readonly health: Health
  readonly accounts: Accounts
  readonly ledger: Ledger
  readonly bytesPerToken: BytesPerToken
  catalogue(): Catalogue
  settings(): PipelineSettings
  /** By backend id; backends that were never used have none. */
  agentStats(): ReadonlyMap<string, AgentStats>
  /** Offers, by id, that their backend answered 404 for since they last served. */
  notFound(): ReadonlyMap<string, NotFound>
  readonly paths: PathChecks
  /** The configuration in effect, and the file it was read from. */
  config(): { readonly path: string | null; readonly settings: readonly ConfigSetting[] }
  /** What is wrong with a text as a configuration. */
  checkConfig(text: string): Promise<readonly ConfigProblem[]>
  /** Reads the configuration again; null where no server runs. */
  readonly reload: (() => Promise<ReloadOutcome>) | null
  /** Looks at everything the server stands on. */
  doctor(): Promise<readonly FindingShown[]>
  /** Small real requests to one backend. */
  smoke(wish: SmokeWished): Promise<SmokeShown>
  readonly traffic: Traffic
  readonly clock: Clock
  readonly random: Random
  /** Who calls through the socket, whose file permission is the credential: `local:<uid>`. Handlers ask `callerOf`. */
  readonly actor: string
  readonly version: string
  readonly log: Log
}

/** Questions to a backend that cost no tokens. */
export interface PathChecks {
  /** The same request on a new connection and on the kept one; null when the first was not answered. */
  ping(backend: Backend): Promise<{ readonly fresh: MeasuredCall; readonly kept: MeasuredCall | null }>
  /** What it says to each credential of its provider. */
  probe(backend: Backend): Promise<readonly CredentialAnswer[]>
}

export interface CredentialAnswer {
  /** Its id; null when none was shown. */
  readonly credential: string | null
  readonly call: MeasuredCall
}

/** What became of a reload: all of it, or nothing and why. */
export type ReloadOutcome =
  | { readonly kind: 'reloaded'; readonly report: ReloadReport }
  | { readonly kind: 'refused'; readonly problems: readonly ConfigProblem[]; readonly words: string }

export interface ReloadReport extends CatalogueChanges {
  readonly catalogueVersion: number
  /** Settings that are now different, by their names in the file. */
  readonly settings: readonly string[]
  /** Settings of the file that this process cannot take over while it runs. */
  readonly restartNeeded: readonly string[]
}

/** One value, by its name in the file. Never a secret. */
export interface ConfigSetting {
  readonly path: string
  readonly value: unknown
  readonly from: 'file' | 'environment' | 'default' | 'flag'
  readonly line: number | null
  readonly column: number | null
}

/** Where the file is wrong (null: no place in it), why, and what to write instead. */
export interface ConfigProblem {
  readonly path: string
  readonly line: number | null
  readonly column: number | null
  readonly reason: string
  readonly suggestion: string | null
}

/** What one look at what the server stands on found, and what to do about it. */
export interface FindingShown {
  readonly check: string
  readonly subject: string | null
  readonly state: 'ok' | 'warn' | 'fail'
  readonly message: string
  readonly advice: string | null
}

export interface SmokeWished {
  readonly backend: Backend
  /** Null: the cheapest that it offers. */
  readonly model: string | null
  readonly by: By
}

export interface SmokeShown {
  readonly backend: string
  readonly model: string | null
  readonly probes: readonly SmokeProbeShown[]
}

/** One small request, and what was recorded of it. */
export interface SmokeProbeShown {
  readonly kind: string
  readonly isOk: boolean
  readonly requestId: string | null
  readonly status: number | null
  readonly outcome: string | null
  readonly connection: string | null
  readonly timing: TimingSplit | null
  readonly usage: Usage | null
  readonly cost: Money | null
  readonly message: string
  readonly advice: string | null
}
