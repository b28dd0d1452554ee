import type { Config } from '../config/index.ts'
import type { AdminDeps, ConfigSetting } from '../http/index.ts'
import { examine, smoke } from '../jobs/index.ts'
import type { Rooms } from './open-rooms.ts'
import type { AppOptions } from './options.ts'
import { pathChecks } from './path-checks.ts'

/** The admin interface's part of the rooms. */
export function adminDeps(
  source: AdminSource,
  { store, live, house, vault, outbound, ownCredentials, rotateMasterKey }: Rooms,
  reload: AdminDeps['reload'],
): AdminDeps {
  const { clock, random, actor, version, log, checkConfig } = source
  const { accounts, ledger, bytesPerToken, catalogue, settings, traffic, agents, health } = house
  return {
    store,
    vault,
    ownCredentials,
    rotateMasterKey,
    placeRefusal: (url) => outbound.refusal(url),
    health,
    accounts,
    ledger,
    bytesPerToken,
    catalogue,
    settings,
    agentStats: () => agents.stats(),
    notFound: () => house.metrics.notFound(),
    paths: pathChecks(() => live.newest().config.agents, clock),
    config: () => ({ path: source.configPath(), settings: settingsOf(live.newest().config, source) }),
    checkConfig,
    reload,
    doctor: () => {
      const { config } = live.newest()
      return examine({
        folder: { path: source.dataFolder, store },
        backends: catalogue().backends.values(),
        settings: config.agents,
        clock,
        exclusion: (backend) => health.exclusion(backend),
        requestsInFlightMax: config.limits.requestsInFlightMax,
      })
    },
    smoke: (wish) => smoke({ house, reader: store.reader }, wish),
    traffic,
    clock,
    random,
    actor,
    version,
    log,
  }
}

/** What a flag of the command line says stands above the file. */
function settingsOf(config: Config, flags: Pick<AdminSource, 'host' | 'port'>): readonly ConfigSetting[] {
  const given = new Map<string, unknown>([
    ['server.host', flags.host],
    ['server.port', flags.port],
  ])
  return config.settings().map((setting) => {
    const value = given.get(setting.path)
    if (value === undefined || value === setting.value) return setting
    return { path: setting.path, value, from: 'flag', line: null, column: null }
  })
}

interface AdminSource
  extends Pick<
      AppOptions,
      'dataFolder' | 'clock' | 'random' | 'actor' | 'version' | 'log' | 'configPath' | 'checkConfig'
    >,
    Partial<Pick<AppOptions, 'host' | 'port'>> {}
