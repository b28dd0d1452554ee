import type { Backend, QuarantineSettings } from '../../src/domain/index.ts'
import { createHealth, type Health } from '../../src/health/index.ts'
import type { Clock, Random } from '../../src/lib/index.ts'
import type { Log } from '../../src/telemetry/index.ts'
import type { StoreDouble } from './store-double.ts'

export interface HealthSpec {
  readonly quarantine?: Partial<QuarantineSettings>
  /** Nothing that becomes of attempts is told to health: for tests of what happens without it. */
  readonly isBlind?: boolean
  readonly stickyLifeMs?: number
}

/** As the configuration has it when nothing is said. */
export const QUARANTINE: QuarantineSettings = {
  failures: 5,
  rate: 0.5,
  windowMs: 60_000,
  windowMin: 20,
  cooldownMs: 15_000,
  cooldownMaxMs: 600_000,
  leastBad: false,
  probe: true,
}

export interface HealthParts {
  readonly store: StoreDouble
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly backends: () => ReadonlyMap<string, Backend>
}

/** The rooms of health of a house double, over no rows. */
export function healthDouble(spec: HealthSpec, { store, clock, random, log, backends }: HealthParts): Health {
  const settings = { ...QUARANTINE, ...spec.quarantine }
  const health = createHealth({
    rows: [],
    writer: store.writer,
    clock,
    random,
    log,
    settings: () => settings,
    stickiness: () => ({ lifeMs: spec.stickyLifeMs ?? 3_600_000 }),
    backends,
  })
  return spec.isBlind ? { ...health, contentBegan: () => {}, attemptEnded: () => {} } : health
}
