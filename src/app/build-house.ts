import { createAccounts, createStoredThings } from '../accounts/index.ts'
import { createAgents, type Outbound } from '../agents/index.ts'
import type { Health } from '../health/index.ts'
import { createBytesPerToken, createLedger } from '../ledger/index.ts'
import { createExpiryClock } from '../lib/index.ts'
import type { House, OpenTraffic } from '../pipeline/index.ts'
import { createContents, createRecords } from '../records/index.ts'
import type { Store } from '../store/index.ts'
import { createRequestMetrics } from '../telemetry/index.ts'
import type { Vault } from '../vault/index.ts'
import { credentialHeaders } from './credential-headers.ts'
import type { Live } from './live.ts'
import type { HouseOptions } from './options.ts'

/** Builds every room over an open store, once, and joins them. */
export function buildHouse(options: HouseOptions, { store, traffic, live, health, vault, outbound }: Ground): House {
  const { config, clock, random, log } = options
  const expiries = createExpiryClock(clock, (byMs) => log.warn('clock_stepped', { by_ms: byMs }))
  const accounts = createAccounts({
    reads: store.reads,
    writer: store.writer,
    vault,
    clock,
    expiries,
    random,
    onRead: (row) => ledger.open(row),
  })
  const ledger = createLedger({
    reads: store.reads,
    writer: store.writer,
    clock,
    log,
    onEvict: (accountId) => accounts.rows.drop(accountId),
  })
  return {
    clock,
    expiries,
    random,
    log,
    accounts,
    ledger,
    stored: createStoredThings(store),
    records: createRecords({ writer: store.writer }),
    contents: createContents({ writer: store.writer, vault }),
    bytesPerToken: createBytesPerToken(),
    catalogue: () => live.newest().catalogue,
    settings: () => live.newest().settings,
    agents: createAgents({ settings: config.agents, clock, credentialHeaders, outbound }),
    health,
    traffic,
    metrics: createRequestMetrics(),
  }
}

/** What the rooms stand on. */
export interface Ground {
  readonly store: Store
  readonly traffic: OpenTraffic
  readonly live: Live
  readonly health: Health
  readonly vault: Vault
  /** The way to places that customers name. */
  readonly outbound: Outbound
}
