import type { Agents } from '../agents/index.ts'
import { type CatalogueChanges, diffCatalogues } from '../catalogue/index.ts'
import { type Config, changedSettings, formatProblems, type LoadedConfig, type Problem } from '../config/index.ts'
import { type Backend, isHome } from '../domain/index.ts'
import type { Health } from '../health/index.ts'
import type { ReloadOutcome } from '../http/index.ts'
import type { Log } from '../telemetry/index.ts'
import { type Live, type Snapshot, snapshotOf } from './live.ts'
import type { AppOptions } from './options.ts'

export interface ReloadDeps
  extends Pick<AppOptions, 'config' | 'configPath' | 'readConfig' | 'host' | 'port' | 'clock' | 'loopbackOnlySecret'> {
  readonly live: Live
  readonly agents: Pick<Agents, 'update'>
  readonly health: Pick<Health, 'replaced'>
  readonly log: Pick<Log, 'info' | 'error'>
}

const READ_MS_MAX = 10_000

/**
 * Makes the function that reads the configuration again and applies it, all or nothing: never two at once, and who asks while others wait
 * for their turn is answered with them. Rejects only for a bug; then too nothing has changed.
 */
export function createReload(deps: ReloadDeps): () => Promise<ReloadOutcome> {
  let running: Promise<unknown> | null = null
  let next: Promise<ReloadOutcome> | null = null
  const begin = (): Promise<ReloadOutcome> => {
    const reloading = reloadOnce(deps).finally(() => {
      running = null
    })
    running = reloading
    return reloading
  }
  return () => {
    if (next !== null) return next
    if (running === null) return begin()
    next = Promise.allSettled([running]).then(() => {
      next = null
      return begin()
    })
    return next
  }
}

async function reloadOnce(deps: ReloadDeps): Promise<ReloadOutcome> {
  const loaded = await readInTime(deps)
  if (loaded.kind === 'problems') return refuse(deps, loaded.problems)
  const { live, agents, health, log } = deps
  const before = live.newest()
  const after = snapshotOf(loaded.config, before.catalogue.version + 1, deps)
  const fixed = fixedOf(after.config)
  const report = {
    catalogueVersion: after.catalogue.version,
    ...diffCatalogues(before.catalogue, after.catalogue),
    settings: changedSettings(before.config, after.config).filter((name) => !(name in fixed)),
    restartNeeded: restartNeeded(deps, after.config),
  }
  // First: a request that sees the new backends finds their agents.
  agents.update(after.catalogue, after.config.agents, (backend) => isAbroadNow(before, after, backend))
  live.replace(after)
  health.replaced(before.catalogue.backends, after.catalogue.backends)
  log.info('reloaded', {
    catalogue_version: report.catalogueVersion,
    ...changesText(report),
    restart_needed: report.restartNeeded.join(' '),
  })
  return { kind: 'reloaded', report }
}

/** What it was kept open for is not allowed any more, as far as anybody knows: who may leave home wants it anew. */
function isAbroadNow(before: Snapshot, after: Snapshot, backend: Backend): boolean {
  if (isHome(backend.region, after.config.routing.homeRegions)) return false
  const old = before.catalogue.backends.get(backend.id)
  return old === undefined || isHome(old.region, before.config.routing.homeRegions)
}

type Fixed = Readonly<Record<string, string | number>>

/** What a process keeps from its start to its end; how its holds end after a crash is written down when it starts. */
const fixedOf = ({ server, money, metrics }: Config): Fixed => ({
  'server.host': server.host,
  'server.port': server.port,
  'money.crash': money.crash,
  'metrics.listen': metrics.listen === null ? 'off' : `${metrics.listen.host}:${metrics.listen.port}`,
})

/** What would be otherwise after a restart. What a flag said at the start, it will say again. */
function restartNeeded({ config, host, port }: ReloadDeps, now: Config): string[] {
  const atStart = fixedOf(config)
  const flags: Fixed = { 'server.host': host, 'server.port': port }
  return Object.entries(fixedOf(now))
    .filter(([name, value]) => value !== atStart[name] && (flags[name] ?? atStart[name]) === atStart[name])
    .map(([name]) => name)
}

function refuse({ log, configPath }: ReloadDeps, problems: readonly Problem[]): ReloadOutcome {
  const words = formatProblems(problems, configPath()).trimEnd()
  log.error('reload_refused', { message: words })
  return { kind: 'refused', problems, words }
}

/** A file on a network drive may never come. */
function readInTime({ readConfig, clock }: ReloadDeps): Promise<LoadedConfig> {
  const late = Promise.withResolvers<LoadedConfig>()
  const cancel = clock.after(READ_MS_MAX, () => late.resolve({ kind: 'problems', problems: [LATE] }))
  return Promise.race([readConfig(), late.promise]).finally(cancel)
}

const LATE: Problem = {
  path: '',
  line: null,
  column: null,
  reason: `the configuration, or a file it names, could not be read within ${READ_MS_MAX / 1000} s`,
  suggestion: null,
}

/** For the log: `backends_added: "a b"`. What did not change is left out. */
function changesText(changes: CatalogueChanges & { readonly settings: readonly string[] }): Record<string, string> {
  const { backends, models, aliases, routers, settings } = changes
  const lists = Object.entries({ backends, models, aliases, routers }).flatMap(([what, { added, removed, changed }]) =>
    Object.entries({ added, removed, changed }).map(([how, names]) => [`${what}_${how}`, names.join(' ')] as const),
  )
  return Object.fromEntries([...lists, ['settings', settings.join(' ')] as const].filter(([, text]) => text !== ''))
}
