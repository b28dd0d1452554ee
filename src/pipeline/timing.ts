import type { ExchangeTiming } from '../domain/index.ts'
import type { Clock } from '../lib/index.ts'
import type { TimingSplit } from '../store/index.ts'

/** Stages of the gateway's own time, in the order a request meets them. */
export type GwStage = 'recv' | 'auth' | 'ctx' | 'prep' | 'route' | 'hold' | 'wait'

const STAGES: readonly GwStage[] = ['recv', 'auth', 'ctx', 'prep', 'route', 'hold', 'wait']

/** Time at one backend: an attempt, or a dial that came to nothing. */
export interface UpstreamPart {
  readonly backend: string
  readonly us: number
  readonly timing: ExchangeTiming
}

/** A partition of the monotonic clock from the request's arrival to its answer: every microsecond is in exactly one part. */
export interface Timing extends TimingSplit {
  readonly parts: readonly UpstreamPart[]
  readonly upstreamWaitUs: number
}

/** What is being measured: a stage of `gw`, or what comes after. `between` is a wait when another attempt follows, else part of `post`. */
type Phase = GwStage | 'attempt' | 'between' | 'post' | 'disk'

/** The stage clock of one request, begun in stage `recv`. It always measures exactly one thing; each call says what comes next. */
export class StageClock {
  readonly #clock: Clock
  readonly #startedUs: number
  readonly #stageUs = new Map<GwStage, number>([['recv', 0]])
  readonly #parts: UpstreamPart[] = []
  #phase: Phase = 'recv'
  #atUs: number
  #attemptUs = 0
  #betweenUs = 0
  #waitUs = 0
  #postUs = 0
  #diskUs = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#startedUs = clock.monotonicUs()
    this.#atUs = this.#startedUs
  }

  /** From now on time belongs to this stage of `gw`. Nothing changes once the first attempt has begun. */
  enter(stage: GwStage): void {
    if (!isStage(this.#phase)) return
    this.#charge()
    if (!this.#stageUs.has(stage)) this.#stageUs.set(stage, 0)
    this.#phase = stage
  }

  /** The first call ends `gw`; later ones end the wait between two attempts. */
  attemptBegins(): void {
    this.#charge()
    this.#waitUs += this.#betweenUs
    this.#betweenUs = 0
    this.#attemptUs = 0
    this.#phase = 'attempt'
  }

  /** The attempt gave what it will give: what follows is a wait for the next attempt, or `post`. */
  attemptEnds(backend: string, timing: ExchangeTiming): void {
    this.#charge()
    this.#parts.push({ backend, us: this.#attemptUs, timing })
    this.#phase = 'between'
  }

  /** From now on `post`; `onDisk` names the part of it that waits for the hold. */
  post(onDisk = false): void {
    this.#charge()
    this.#postUs += this.#betweenUs + this.#brokenOffUs()
    this.#betweenUs = 0
    this.#phase = onDisk ? 'disk' : 'post'
  }

  /** The split up to now. The clock goes on. */
  read(): Timing {
    this.#charge()
    const stages: (readonly [string, number])[] = []
    let gwUs = 0
    for (const stage of STAGES) {
      const us = this.#stageUs.get(stage)
      if (us === undefined) continue
      stages.push([stage, us])
      gwUs += us
    }
    const upstreamUs = this.#parts.reduce((sum, part) => sum + part.us, 0) + this.#waitUs
    const postUs = this.#postUs + this.#betweenUs + this.#brokenOffUs()
    return {
      gwUs,
      stages,
      upstreamUs,
      parts: [...this.#parts],
      upstreamWaitUs: this.#waitUs,
      postUs,
      postHoldUs: this.#diskUs,
      totalUs: gwUs + upstreamUs + postUs,
      endedUs: this.#atUs - this.#startedUs,
    }
  }

  /** Microseconds since the request's arrival. */
  elapsedUs(): number {
    return this.#clock.monotonicUs() - this.#startedUs
  }

  /** An attempt that a bug broke off has no part of its own: its time is `post`. */
  #brokenOffUs(): number {
    return this.#phase === 'attempt' ? this.#attemptUs : 0
  }

  #charge(): void {
    const nowUs = this.#clock.monotonicUs()
    const us = nowUs - this.#atUs
    this.#atUs = nowUs
    const phase = this.#phase
    if (isStage(phase)) this.#stageUs.set(phase, (this.#stageUs.get(phase) ?? 0) + us)
    else if (phase === 'attempt') this.#attemptUs += us
    else if (phase === 'between') this.#betweenUs += us
    else {
      this.#postUs += us
      if (phase === 'disk') this.#diskUs += us
    }
  }
}

const isStage = (phase: Phase): phase is GwStage =>
  phase !== 'attempt' && phase !== 'between' && phase !== 'post' && phase !== 'disk'

const US_PER_PRINTED = 10 // two decimals of a millisecond

/**
 * The value of `Server-Timing`: milliseconds with two decimals, rounded by largest remainder so that
 * `gw + upstream + post = total`, the `gw-*` sum to `gw`, and `upstream-*` sum to `upstream`, exactly as printed.
 */
export function formatServerTiming(timing: Timing, hidesBackends = false): string {
  const totalUnits = Math.round(timing.totalUs / US_PER_PRINTED)
  const [gw = 0, upstream = 0, post = 0] = share(totalUnits, [timing.gwUs, timing.upstreamUs, timing.postUs])
  const entries = gwEntries(timing, gw)
  if (timing.parts.length > 0) {
    entries.push(entry('upstream', upstream))
    const partUnits = share(upstream, [...timing.parts.map((part) => part.us), timing.upstreamWaitUs])
    timing.parts.forEach((part, at) => {
      const split = splitText(part.timing)
      entries.push(entry(`upstream-${at + 1}`, partUnits[at] ?? 0, hidesBackends ? split : `${part.backend} ${split}`))
    })
    if (timing.parts.length > 1) entries.push(entry('upstream-wait', partUnits[timing.parts.length] ?? 0))
  }
  entries.push(entry('post', post))
  if (timing.postHoldUs > 0)
    entries.push(entry('post-hold', Math.min(post, Math.floor(timing.postHoldUs / US_PER_PRINTED))))
  entries.push(entry('total', totalUnits))
  return entries.join(', ')
}

/** The same of an answer that is not there yet: the gateway's own time, and a total that is open. */
export function formatOpenTiming(timing: Timing): string {
  return [...gwEntries(timing, Math.round(timing.gwUs / US_PER_PRINTED)), 'total;desc="open"'].join(', ')
}

function gwEntries({ stages }: Timing, gw: number): string[] {
  const stageUnits = share(
    gw,
    stages.map(([, us]) => us),
  )
  return [entry('gw', gw), ...stages.map(([name], at) => entry(`gw-${name}`, stageUnits[at] ?? 0))]
}

function entry(name: string, units: number, description?: string): string {
  const hundredths = units % 100
  const text = `${name};dur=${Math.floor(units / 100)}.${hundredths < 10 ? '0' : ''}${hundredths}`
  return description === undefined
    ? text
    : `${text};desc="${description.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')}"`
}

/** How the connection came to serve, and where the time went: `kept age=12s write=0.02 first-byte=68.10`; what did not happen is left out. */
function splitText({
  connection,
  connectionAgeMs,
  dnsUs,
  connectUs,
  tlsUs,
  writeUs,
  firstByteUs,
}: ExchangeTiming): string {
  let text: string = connection
  if (connection === 'kept' && connectionAgeMs !== null) text += ` age=${Math.round(connectionAgeMs / 1000)}s`
  if (dnsUs !== null) text += ` dns=${inMs(dnsUs)}`
  if (connectUs !== null) text += ` connect=${inMs(connectUs)}`
  if (tlsUs !== null) text += ` tls=${inMs(tlsUs)}`
  if (writeUs !== null) text += ` write=${inMs(writeUs)}`
  if (firstByteUs !== null) text += ` first-byte=${inMs(firstByteUs)}`
  return text
}

const inMs = (us: number): string => (us / 1000).toFixed(2)

/** Splits `totalUnits` in proportion to `parts`, in whole units that sum to it exactly; a part of zero gets nothing. */
export function share(totalUnits: number, parts: readonly number[]): number[] {
  let sum = 0
  for (const part of parts) sum += part
  if (sum === 0) return parts.map((_, at) => (at === 0 ? totalUnits : 0))
  const units: number[] = []
  const rests: number[] = []
  let missing = totalUnits
  for (const part of parts) {
    const exact = (part * totalUnits) / sum
    const whole = Math.floor(exact)
    units.push(whole)
    rests.push(exact - whole)
    missing -= whole
  }
  // A handful of parts: picking the largest rest again and again costs less than sorting them.
  for (; missing > 0; missing--) {
    const at = rests.indexOf(Math.max(...rests))
    units[at] = (units[at] ?? 0) + 1
    rests[at] = -1
  }
  return units
}
