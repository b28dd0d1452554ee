import { dirname } from 'node:path'
import { openPriceTable } from '../catalogue/index.ts'
import type {
  AgentSettings,
  CatalogueParts,
  LimitSettings,
  MetricsSettings,
  MoneySettings,
  NetworkSettings,
  QuarantineSettings,
  RecordSettings,
  ReplySettings,
  RoutingSettings,
  ServerSettings,
  StickySettings,
} from '../domain/index.ts'
import { deepFreeze } from '../lib/index.ts'
import { assemble } from './assemble.ts'
import { type ConfigInput, configSchema } from './config-schema.ts'
import { describeConfig, type Setting } from './describe-config.ts'
import { explain } from './explain.ts'
import { listenAddress } from './listen-address.ts'
import { readNetworkCa } from './network-ca.ts'
import { type ParsedDocument, parseYaml } from './parse-yaml.ts'
import { addPresets, type PresetState, presetProblems } from './presets.ts'
import type { Problem } from './problem.ts'
import { readFailure, type Surroundings } from './surroundings.ts'

/** One configuration, whole and frozen, in the slices that rooms are handed. */
export interface Config {
  readonly server: ServerSettings
  readonly routing: RoutingSettings
  readonly money: MoneySettings
  readonly agents: AgentSettings
  readonly limits: LimitSettings
  readonly replies: ReplySettings
  readonly quarantine: QuarantineSettings
  readonly sticky: StickySettings
  readonly records: RecordSettings
  readonly network: NetworkSettings
  readonly metrics: MetricsSettings
  readonly catalogue: CatalogueParts
  /** Keys of known providers that were found in the environment. */
  readonly presets: readonly PresetState[]
  /** Every value, and where it came from; worked out when it is asked for. */
  settings(): readonly Setting[]
}

export type LoadedConfig =
  | { readonly kind: 'config'; readonly config: Config }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] }

const FILE_BYTES_MAX = 2 * 1024 * 1024

/**
 * Reads and checks the configuration file; null means none: all defaults, no provider. All or nothing: with any problem there is no
 * config. Never throws for what is in the file or in the environment. Relative paths in it begin at its own folder.
 * An empty file is all defaults, too; where a good one is in effect it is rather one whose writing failed.
 */
export async function loadConfig(
  path: string | null,
  surroundings: Surroundings,
  emptyFile: 'taken' | 'refused' = 'taken',
): Promise<LoadedConfig> {
  const source = path === null ? { text: '' } : await readSource(path, surroundings)
  if ('problem' in source) return problems([source.problem])
  if (path !== null && emptyFile === 'refused' && source.text.trim() === '')
    return problems([wholeFile('the file is empty', 'Was it written to its end? A line of comment is enough.')])
  return loadConfigText(source.text, path, surroundings)
}

/** As `loadConfig`, of the text that would be in that file. */
export async function loadConfigText(
  text: string,
  path: string | null,
  surroundings: Surroundings,
): Promise<LoadedConfig> {
  const document = parseYaml(text)
  if (document.problems.length > 0) return problems(document.problems)
  const checked = configSchema.safeParse(document.value ?? {})
  if (!checked.success) return problems(explain(checked.error.issues, document))
  return build(checked.data, document, { folder: path === null ? '.' : dirname(path), surroundings })
}

async function build(
  written: ConfigInput,
  document: ParsedDocument,
  { folder, surroundings }: { folder: string; surroundings: Surroundings },
): Promise<LoadedConfig> {
  const table = openPriceTable()
  const { input, states } = addPresets(written, surroundings, table)
  const { place } = document
  const missing = presetProblems(written, states, place)
  const { parts, problems: found } = await assemble(input, { place, folder, surroundings, table })
  const ca = await readNetworkCa(input.network, { place, folder, surroundings })
  const all = [...missing, ...found, ...ca.problems]
  if (all.length > 0) return problems(all)
  const config: Config = {
    ...slicesOf(input, ca.caFile),
    catalogue: parts,
    presets: states,
    settings: () => describeConfig(input, document),
  }
  return { kind: 'config', config: deepFreeze(config) }
}

/** The settings by the names of the rooms. */
function slicesOf(
  input: ConfigInput,
  caFile: NetworkSettings['caFile'],
): Omit<Config, 'catalogue' | 'presets' | 'settings'> {
  const { server, routing, money, agents, limits, replies, quarantine, sticky, records, network, metrics } = input
  return {
    server: {
      host: server.host,
      port: server.port,
      bodyBytesMax: server.body_bytes_max,
      uploadBytesMax: server.upload_bytes_max,
      drainMs: server.drain_ms,
      trustProxy: server.trust_proxy,
      cors: server.cors,
    },
    routing: {
      sort: routing.sort === 'order' ? null : routing.sort,
      attemptsMax: routing.attempts_max,
      dialsMax: routing.dials_max,
      clientStallMs: routing.client_stall_ms,
      heartbeatAfterMs: routing.heartbeat_after_ms,
      queueMs: routing.queue_ms,
      homeRegions: routing.home_regions,
    },
    money: {
      outputReserveTokens: money.output_reserve_tokens,
      outputCapTokens: money.output_cap_tokens,
      beforeContent: money.before_content,
      crash: money.crash,
      byokFeeBps: money.byok_fee_bps,
    },
    agents: {
      idleMs: agents.idle_ms,
      ageMaxMs: agents.age_max_ms,
      idleMax: agents.idle_max,
      warm: agents.warm,
      keepWarmMs: agents.keep_warm_ms,
      pingEveryMs: agents.ping_every_ms,
      connectionsMax: agents.connections_max,
    },
    limits: limitsOf(limits),
    replies: {
      hideBackends: replies.hide_backends,
      timingComment: replies.timing_comment,
      noRetryAfterSend: replies.no_retry_after_send,
      repeatPlainTimeouts: replies.repeat_plain_timeouts,
    },
    quarantine: {
      failures: quarantine.failures,
      rate: quarantine.rate,
      windowMs: quarantine.window_ms,
      windowMin: quarantine.window_min,
      cooldownMs: quarantine.cooldown_ms,
      cooldownMaxMs: quarantine.cooldown_max_ms,
      leastBad: quarantine.least_bad,
      probe: quarantine.probe,
    },
    sticky: { lifeMs: sticky.life_ms },
    records: {
      keepDays: records.keep_days,
      bytesMax: records.bytes_max,
      contentKeepDays: records.content_keep_days,
    },
    network: { allowPrivate: network.allow_private, ports: network.ports, caFile },
    metrics: { listen: listenAddress(metrics.listen) },
  }
}

const limitsOf = (given: ConfigInput['limits']): LimitSettings => ({
  requestsInFlightMax: given.requests_in_flight_max,
  waitersMax: given.waiters_max,
  bodiesBytesMax: given.bodies_bytes_max,
})

async function readSource(path: string, { readFile }: Surroundings): Promise<{ text: string } | { problem: Problem }> {
  let bytes: Uint8Array
  try {
    bytes = await readFile(path, FILE_BYTES_MAX + 1)
  } catch (error) {
    return {
      problem: wholeFile(
        `the configuration cannot be used: ${readFailure(error)}`,
        'Name the file with --config FILE.',
      ),
    }
  }
  if (bytes.byteLength > FILE_BYTES_MAX) {
    return { problem: wholeFile(`the file is larger than ${FILE_BYTES_MAX / 1024 ** 2} MB`, 'Is this the right file?') }
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return {
      problem: { ...wholeFile('the file is not text in UTF-8', 'Is this the right file?'), ...firstOddByte(bytes) },
    }
  }
}

/** Where the first byte stands that is no UTF-8. */
function firstOddByte(bytes: Uint8Array): Pick<Problem, 'line' | 'column'> {
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).split('\uFFFD', 1)[0] ?? ''
  const lines = before.split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

const problems = (found: readonly Problem[]): LoadedConfig => ({ kind: 'problems', problems: found })

const wholeFile = (reason: string, suggestion: string): Problem => ({
  path: '',
  line: null,
  column: null,
  reason,
  suggestion,
})
