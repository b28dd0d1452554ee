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

/** Where a stage stands in `STAGES`. */
const STAGE_AT: Readonly<Record<GwStage, number>> = { recv: 0, auth: 1, ctx: 2, prep: 3, route: 4, hold: 5, wait: 6 }

/** What is being measured: a stage of `gw` by its place, or what comes after. `between` is a wait when another attempt follows, else part of `post`. */
const ATTEMPT = STAGES.length
const BETWEEN = ATTEMPT + 1
const POST = ATTEMPT + 2
const DISK = ATTEMPT + 3
const NOT_ENTERED = -1

/** The stage clock of one request, begun in stage `recv`. It always measures exactly one thing; each call says what comes next. */
export class StageClock {
  readonly #clock: Clock
  readonly #startedUs: number
  /** By the stage's place. */
  readonly #stageUs = [0, NOT_ENTERED, NOT_ENTERED, NOT_ENTERED, NOT_ENTERED, NOT_ENTERED, NOT_ENTERED]
  readonly #parts: UpstreamPart[] = []
  #phase = 0
  #atUs: number
  #attempts = 0 // under way
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
    if (this.#phase >= ATTEMPT) return
    this.#charge()
    const at = STAGE_AT[stage]
    if (this.#stageUs[at] === NOT_ENTERED) this.#stageUs[at] = 0
    this.#phase = at
  }

  /** The first call ends `gw`; later ones end the wait between two attempts. Where several are under way at once, their time is that of who ends next. */
  attemptBegins(): void {
    this.#charge()
    this.#waitUs += this.#betweenUs
    this.#betweenUs = 0
    this.#attempts++
    this.#phase = ATTEMPT
  }

  /** The attempt gave what it will give: what follows is the rest of another, a wait for the next, or `post`. */
  attemptEnds(backend: string, timing: ExchangeTiming): void {
    this.#charge()
    this.#parts.push({ backend, us: this.#attemptUs, timing })
    this.#attemptUs = 0
    this.#attempts--
    if (this.#attempts === 0) this.#phase = BETWEEN
  }

  /** From now on `post`; `onDisk` names the part of it that waits for the hold. */
  post(onDisk = false): void {
    this.#charge()
    this.#postUs += this.#betweenUs + this.#brokenOffUs()
    this.#betweenUs = 0
    this.#phase = onDisk ? DISK : POST
  }

  /** The split up to now. The clock goes on. */
  read(): Timing {
    this.#charge()
    const stages: (readonly [GwStage, number])[] = []
    let gwUs = 0
    for (let at = 0; at < STAGES.length; at++) {
      const stage = STAGES[at]
      const us = this.#stageUs[at]
      if (stage === undefined || us === undefined || us === NOT_ENTERED) continue
      stages.push([stage, us])
      gwUs += us
    }
    let upstreamUs = this.#waitUs
    for (const part of this.#parts) upstreamUs += part.us
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
    return this.#phase === ATTEMPT ? this.#attemptUs : 0
  }

  #charge(): void {
    const nowUs = this.#clock.monotonicUs()
    const us = nowUs - this.#atUs
    this.#atUs = nowUs
    const phase = this.#phase
    if (phase < ATTEMPT) this.#stageUs[phase] = (this.#stageUs[phase] ?? 0) + us
    else if (phase === ATTEMPT) this.#attemptUs += us
    else if (phase === BETWEEN) this.#betweenUs += us
    else {
      this.#postUs += us
      if (phase === DISK) this.#diskUs += us
    }
  }
}

const US_PER_PRINTED = 10 // two decimals of a millisecond

/**
 * The value of `Server-Timing`: milliseconds with two decimals, rounded by largest remainder so that
 * `gw + upstream + post = total`, the `gw-*` sum to `gw`, and `upstream-*` sum to `upstream`, exactly as printed.
 */
export function formatServerTiming(timing: Timing, hidesBackends = false): string {
  const totalUnits = Math.round(timing.totalUs / US_PER_PRINTED)
  const [gw = 0, upstream = 0, post = 0] = share(totalUnits, [timing.gwUs, timing.upstreamUs, timing.postUs])
  // One constant and one figure at a time: of longer templates each piece becomes a string of its own.
  let text = gwText(timing, gw)
  if (timing.parts.length > 0)
    text = `${text}, upstream;dur=${msText(upstream)}${partsText(timing, upstream, hidesBackends)}`
  text = `${text}, post;dur=${msText(post)}`
  if (timing.postHoldUs > 0)
    text = `${text}, post-hold;dur=${msText(Math.min(post, Math.floor(timing.postHoldUs / US_PER_PRINTED)))}`
  return `${text}, total;dur=${msText(totalUnits)}`
}

function partsText({ parts, upstreamWaitUs }: Timing, upstream: number, hidesBackends: boolean): string {
  const units =
    parts.length === 1 && upstreamWaitUs === 0
      ? [upstream]
      : share(upstream, [...parts.map((part) => part.us), upstreamWaitUs])
  let text = ''
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at]
    if (part === undefined) continue
    const split = splitText(part.timing)
    const description = (hidesBackends ? split : `${part.backend} ${split}`).replace(UNPRINTABLE, '?')
    text += `, upstream-${at + 1};dur=${msText(units[at] ?? 0)};desc="${description}"`
  }
  return parts.length > 1 ? `${text}, upstream-wait;dur=${msText(units[parts.length] ?? 0)}` : text
}

/** What may not stand inside the quotes. */
const UNPRINTABLE = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/g

/** The same of an answer that is not there yet: the gateway's own time, and a total that is open. */
export const formatOpenTiming = (timing: Timing): string =>
  `${gwText(timing, Math.round(timing.gwUs / US_PER_PRINTED))}, total;desc="open"`

function gwText({ stages }: Timing, gw: number): string {
  const units = share(
    gw,
    stages.map(([, us]) => us),
  )
  let text = `gw;dur=${msText(gw)}`
  for (let at = 0; at < stages.length; at++) text = text + STAGE_HEADS[stages[at]?.[0] ?? ''] + msText(units[at] ?? 0)
  return text
}

const STAGE_HEADS: Readonly<Record<string, string>> = Object.fromEntries(
  STAGES.map((stage) => [stage, `, gw-${stage};dur=`]),
)

const textsKept: string[] = []
const TEXTS_KEPT_MAX = 10_000

/** Milliseconds with two decimals, of a count of hundredths; made once for those up to 100 ms. */
function msText(units: number): string {
  const known = textsKept[units]
  if (known !== undefined) return known
  const hundredths = units % 100
  const text = `${(units - hundredths) / 100}.${hundredths < 10 ? '0' : ''}${hundredths}`
  if (units < TEXTS_KEPT_MAX) textsKept[units] = text
  return text
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

const inMs = (us: number): string => msText(Math.round(us / US_PER_PRINTED))

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
    const at = largestAt(rests)
    units[at] = (units[at] ?? 0) + 1
    rests[at] = -1
  }
  return units
}

function largestAt(values: readonly number[]): number {
  let best = 0
  for (let at = 1; at < values.length; at++) if ((values[at] ?? 0) > (values[best] ?? 0)) best = at
  return best
}
