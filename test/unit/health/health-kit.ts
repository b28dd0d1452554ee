import type {
  Backend,
  Blame,
  OperatorCredential,
  Outcome,
  OwnSecret,
  ProviderError,
  QuarantineRow,
  QuarantineSettings,
} from '../../../src/domain/index.ts'
import { consequenceOf } from '../../../src/domain/index.ts'
import { type AnswerPace, type Claim, createHealth, type Health } from '../../../src/health/index.ts'
import { type FakeClock, fakeClock } from '../../support/fake-clock.ts'
import { QUARANTINE } from '../../support/health-double.ts'
import { createStoreDouble, type StoreDouble } from '../../support/store-double.ts'
import { backendOf } from '../catalogue/support.ts'

export const MAIN: OperatorCredential = { id: 'main', secret: 'sk-main' }
export const SPARE: OperatorCredential = { id: 'spare', secret: 'sk-spare' }
const plain = backendOf('north')
/** With two credentials. */
export const NORTH: Backend = { ...plain, provider: { ...plain.provider, credentials: [MAIN, SPARE] } }
/** With none. */
export const SOUTH = backendOf('south')

export const COOLDOWN_MS = QUARANTINE.cooldownMs

/** The rooms of health over a store double; chance never makes a wait shorter. */
export interface HealthWorld {
  readonly clock: FakeClock
  readonly store: StoreDouble
  readonly health: Health
  readonly logs: { readonly event: string; readonly fields: object }[]
  settings: QuarantineSettings
  /** The newest catalogue's. */
  readonly backends: Map<string, Backend>
  /** A claim of one request; an answer in words is thrown. */
  claim(backend?: Backend, leastBad?: boolean): Claim
  /** Claims, ends so, and gives the claim back. */
  attempt(outcome: Outcome, more?: Attempt): void
  /** So many attempts, one after the other. */
  attempts(count: number, outcome: Outcome, more?: Attempt): void
}

export interface Attempt {
  readonly backend?: Backend
  readonly accountId?: string
  readonly credential?: OperatorCredential | OwnSecret | null
  /** One that was claimed before. */
  readonly claim?: Claim
  readonly blame?: Blame
  /** The offer's id. */
  readonly offer?: string
  readonly answer?: AnswerPace
}

export const OK: Outcome = { kind: 'succeeded' }
export const FAILED: Outcome = { kind: 'failed', reason: 'status', status: 500, message: 'answered with status 500' }
export const UNSENT: Outcome = { kind: 'unsent', reason: 'connect', message: 'nothing listens' }
export const TIMED_OUT: Outcome = {
  kind: 'failed',
  reason: 'first_content_timeout',
  status: null,
  message: 'no content within 120000 ms',
}
export const said = (status: number, code: string | null = null): ProviderError => ({
  status,
  message: 'words of the provider',
  type: null,
  code,
  param: null,
})
export const throttled = (retryAfterMs: number | null, status = 429): Outcome => ({
  kind: 'throttled',
  error: said(status),
  retryAfterMs,
})
export const denied = (status = 401): Outcome => ({ kind: 'denied', error: said(status) })

export function healthWorld(rows: readonly QuarantineRow[] = [], more: Partial<QuarantineSettings> = {}): HealthWorld {
  const clock = fakeClock()
  const store = createStoreDouble()
  const logs: HealthWorld['logs'] = []
  const log = (event: string, fields: object = {}) => {
    logs.push({ event, fields })
  }
  const backends = new Map([NORTH, SOUTH].map((backend) => [backend.id, backend]))
  const world = { settings: { ...QUARANTINE, ...more }, backends }
  const health = createHealth({
    rows,
    writer: store.writer,
    clock,
    random: { fraction: () => 0 },
    log: { info: log, warn: log },
    settings: () => world.settings,
    stickiness: () => ({ lifeMs: 3_600_000 }),
    backends: () => backends,
  })
  function claim(backend = SOUTH, leastBad = false): Claim {
    const answer = health.claim(backend, leastBad)
    if (typeof answer === 'string') throw new Error(answer)
    return answer
  }
  function attempt(
    outcome: Outcome,
    { backend = SOUTH, accountId = 'acc_1', offer = `${backend.id}/m`, ...spec }: Attempt = {},
  ): void {
    const credential = spec.credential ?? null
    const with_ = spec.claim ?? claim(backend)
    const blame = spec.blame ?? consequenceOf(outcome, { sent: true, hasCredential: credential !== null }).blame
    const answer = spec.answer ?? null
    health.attemptEnded({ claim: with_, offer, accountId, credential, outcome, sent: true, blame, answer })
    health.release(with_)
  }
  return Object.assign(world, {
    clock,
    store,
    health,
    logs,
    claim,
    attempt,
    attempts(count: number, outcome: Outcome, of: Attempt = {}) {
      for (let at = 0; at < count; at++) attempt(outcome, of)
    },
  })
}

export const stateOf = ({ health }: HealthWorld, backend = 'south') => health.stateOf(backend)

export const rowOf = ({ health }: HealthWorld, backend = 'south') =>
  health.rows().find((row) => row.backend === backend)
