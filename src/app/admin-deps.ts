import type { AdminDeps } from '../http/index.ts'
import type { Rooms } from './open-rooms.ts'
import type { HouseOptions } from './options.ts'

/** The admin interface's part of the rooms. */
export function adminDeps(
  { clock, random, actor, version, log }: AdminSource,
  { store, house, vault, ownCredentials }: Rooms,
  reload: AdminDeps['reload'],
): AdminDeps {
  const { accounts, ledger, catalogue, traffic, agents, health } = house
  return {
    store,
    vault,
    ownCredentials,
    health,
    accounts,
    ledger,
    catalogue,
    agentStats: () => agents.stats(),
    reload,
    traffic,
    clock,
    random,
    actor,
    version,
    log,
  }
}

type AdminSource = Pick<HouseOptions, 'clock' | 'random' | 'actor' | 'version' | 'log'>
