/** A deliberate fault of the source that a test must find: a test that cannot fail becomes visible. */
export interface SourceDefect {
  readonly name: string
  readonly file: string
  /** What stands there once, and what stands there instead. */
  readonly whole: string
  readonly spoiled: string
  readonly foundBy: string
}

const DISPATCH = 'src/pipeline/dispatch/dispatch.ts'
const CROWD = 'test/property/dispatch-slots.test.ts'
const WEATHER = 'test/property/provider-weather.test.ts'
const RESEND = 'test/unit/agents/resend.test.ts'

/** Of how a request survives its providers: what `source-defects.test.ts` plays one by one. */
export const sourceDefects: readonly SourceDefect[] = [
  {
    name: 'a dial that came to nothing counts as an attempt',
    file: DISPATCH,
    whole: "if (outcome.kind === 'unsent') this.#unsent++",
    spoiled: "if (outcome.kind === 'unsent') this.#sent++",
    foundBy: CROWD,
  },
  {
    name: 'the slot of an attempt that failed is lost',
    file: DISPATCH,
    whole: 'slot.agent.release(slot)',
    spoiled: '',
    foundBy: CROWD,
  },
  {
    name: 'who stops to wait is counted as waiting',
    file: 'src/pipeline/dispatch/wait-in-line.ts',
    whole: 'traffic.waiters--',
    spoiled: '',
    foundBy: CROWD,
  },
  {
    name: 'a request is sent once more than it may be',
    file: DISPATCH,
    whole: 'this.#sent < attemptsMax &&',
    spoiled: 'this.#sent <= attemptsMax &&',
    foundBy: CROWD,
  },
  {
    name: 'another backend is tried after the commit point',
    file: 'src/pipeline/dispatch/gate.ts',
    whole: "if (event.kind === 'content') view = OPEN",
    spoiled: '',
    foundBy: WEATHER,
  },
  {
    name: 'a backend is blamed for a caller in the wrong',
    file: 'src/domain/consequence.ts',
    whole: "refused: row('return', 'nobody', 'reported')",
    spoiled: "refused: row('return', 'backend', 'reported')",
    foundBy: WEATHER,
  },
  {
    name: 'a backend is blamed for a caller that left',
    file: 'src/domain/consequence.ts',
    whole: "cancelled: row('stop', 'nobody', 'leaving')",
    spoiled: "cancelled: row('stop', 'backend', 'leaving')",
    foundBy: WEATHER,
  },
  {
    name: 'a trial is given twice',
    file: 'src/health/health.ts',
    whole: 'const isFree = watches.of(backend.id).trial === null',
    spoiled: 'const isFree = true',
    foundBy: WEATHER,
  },
  {
    name: 'a trial is never given back',
    file: DISPATCH,
    whole: `this.#house.health.release(claim)
    slot`,
    spoiled: 'slot',
    foundBy: WEATHER,
  },
  {
    name: 'a quarantined backend is sent requests',
    file: 'src/health/health.ts',
    whole: "if (which === 'out' || which === 'trial_running') return which",
    spoiled: "if (which === 'trial_running') return which",
    foundBy: 'test/property/health-trials.test.ts',
  },
  {
    name: 'Retry-After is ignored',
    file: 'src/health/back-off.ts',
    whole: 'namedMs === null || namedMs <= 0 ? null : namedMs',
    spoiled: 'null',
    foundBy: WEATHER,
  },
  {
    name: 'what one under way says of Retry-After is ignored',
    file: 'src/health/findings.ts',
    whole: 'return untilMs > cause.untilMs ?',
    spoiled: 'return false ?',
    foundBy: WEATHER,
  },
  {
    name: 'a back-off never ends',
    file: 'src/health/back-off.ts',
    whole: 'waitMs: Math.min(cooldownMaxMs, isNamed ? named : jitteredMs)',
    spoiled: 'waitMs: cooldownMaxMs',
    foundBy: WEATHER,
  },
  {
    name: 'a request is sent once more after a byte of its answer',
    file: 'src/agents/active-exchange.ts',
    whole: "if (this.#use !== 'kept' || this.#times.firstByteUs !== null) return false",
    spoiled: "if (this.#use !== 'kept') return false",
    foundBy: RESEND,
  },
  {
    name: 'a request is sent again and again',
    file: 'src/agents/active-exchange.ts',
    whole: "if (this.#use !== 'kept' || this.#times.firstByteUs !== null) return false",
    spoiled: 'if (this.#times.firstByteUs !== null) return false',
    foundBy: RESEND,
  },
  {
    name: 'a request is sent once more however long the backend had it',
    file: 'src/agents/was-closed-before.ts',
    whole: 'return sinceUs <= Math.min(WINDOW_US_MAX, windowUs)',
    spoiled: 'return windowUs > 0',
    foundBy: RESEND,
  },
]
