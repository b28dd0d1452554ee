import type { ConnectionUse } from '../domain/index.ts'
import type { Clock } from '../lib/index.ts'
import type { TimingSplit } from '../store/index.ts'

/** Stages of the gateway's own time, in the order a request meets them. */
export type GwStage = 'recv' | 'auth' | 'ctx' | 'prep' | 'route' | 'hold' | 'wait'

const STAGES: readonly GwStage[] = ['recv', 'auth', 'ctx', 'prep', 'route', 'hold', 'wait']

/** Time at one backend: an attempt, or a dial that came to nothing. */
export interface UpstreamPart {
  readonly backend: string
  readonly us: number
  readonly connection: ConnectionUse
}

/** A partition of the monotonic clock from the request's arrival to its answer: every microsecond is in exactly one part. */
export interface Timing extends TimingSplit {
  readonly parts: readonly UpstreamPart[]
  readonly upstreamWaitUs: number
}

/** The stage clock of one request. It always measures exactly one thing; each call says what comes next. */
export interface StageClock {
  /** From now on time belongs to this stage of `gw`. Nothing changes once the first attempt has begun. */
  enter(stage: GwStage): void
  /** The first call ends `gw`; later ones end the wait between two attempts. */
  attemptBegins(): void
  /** The attempt gave what it will give: what follows is a wait for the next attempt, or `post`. */
  attemptEnds(backend: string, connection: ConnectionUse): void
  /** From now on `post`; `onDisk` names the part of it that waits for the hold. */
  post(onDisk?: boolean): void
  /** The split up to now. The clock goes on. */
  read(): Timing
  /** Microseconds since the request's arrival. */
  elapsedUs(): number
}

/** Starts the clock in stage `recv`. */
export function startStageClock(clock: Clock): StageClock {
  const startedUs = clock.monotonicUs()
  const stageUs = new Map<GwStage, number>([['recv', 0]])
  const parts: UpstreamPart[] = []
  let atUs = startedUs
  let now: { kind: 'gw'; stage: GwStage } | { kind: 'attempt' | 'between' | 'post' | 'disk' } = {
    kind: 'gw',
    stage: 'recv',
  }
  let betweenUs = 0 // since the last attempt's end: a wait when another follows, else part of `post`
  let waitUs = 0
  let postUs = 0
  let diskUs = 0
  let attemptUs = 0

  function charge(): void {
    const nowUs = clock.monotonicUs()
    const us = nowUs - atUs
    atUs = nowUs
    if (now.kind === 'gw') stageUs.set(now.stage, (stageUs.get(now.stage) ?? 0) + us)
    else if (now.kind === 'attempt') attemptUs += us
    else if (now.kind === 'between') betweenUs += us
    else {
      postUs += us
      if (now.kind === 'disk') diskUs += us
    }
  }

  return {
    enter(stage) {
      if (now.kind !== 'gw') return
      charge()
      if (!stageUs.has(stage)) stageUs.set(stage, 0)
      now = { kind: 'gw', stage }
    },
    attemptBegins() {
      charge()
      waitUs += betweenUs
      betweenUs = 0
      attemptUs = 0
      now = { kind: 'attempt' }
    },
    attemptEnds(backend, connection) {
      charge()
      parts.push({ backend, us: attemptUs, connection })
      now = { kind: 'between' }
    },
    post(onDisk = false) {
      charge()
      postUs += betweenUs + (now.kind === 'attempt' ? attemptUs : 0) // an attempt that a bug broke off has no part of its own
      betweenUs = 0
      now = { kind: onDisk ? 'disk' : 'post' }
    },
    read() {
      charge()
      const stages = STAGES.flatMap((stage): (readonly [string, number])[] => {
        const us = stageUs.get(stage)
        return us === undefined ? [] : [[stage, us]]
      })
      const gwUs = stages.reduce((sum, [, us]) => sum + us, 0)
      const upstreamUs = parts.reduce((sum, part) => sum + part.us, 0) + waitUs
      const postTotalUs = postUs + betweenUs + (now.kind === 'attempt' ? attemptUs : 0)
      const totalUs = gwUs + upstreamUs + postTotalUs
      return {
        gwUs,
        stages,
        upstreamUs,
        parts: [...parts],
        upstreamWaitUs: waitUs,
        postUs: postTotalUs,
        postHoldUs: diskUs,
        totalUs,
        endedUs: atUs - startedUs,
      }
    },
    elapsedUs: () => clock.monotonicUs() - startedUs,
  }
}

const US_PER_PRINTED = 10 // two decimals of a millisecond

/**
 * The value of `Server-Timing`: milliseconds with two decimals, rounded by largest remainder so that
 * `gw + upstream + post = total`, the `gw-*` sum to `gw`, and `upstream-*` sum to `upstream`, exactly as printed.
 */
export function formatServerTiming(timing: Timing): string {
  const totalUnits = Math.round(timing.totalUs / US_PER_PRINTED)
  const [gw = 0, upstream = 0, post = 0] = share(totalUnits, [timing.gwUs, timing.upstreamUs, timing.postUs])
  const entries = [entry('gw', gw)]
  const stageUnits = share(
    gw,
    timing.stages.map(([, us]) => us),
  )
  timing.stages.forEach(([name], at) => {
    entries.push(entry(`gw-${name}`, stageUnits[at] ?? 0))
  })
  if (timing.parts.length > 0) {
    entries.push(entry('upstream', upstream))
    const partUnits = share(upstream, [...timing.parts.map((part) => part.us), timing.upstreamWaitUs])
    timing.parts.forEach((part, at) => {
      entries.push(entry(`upstream-${at + 1}`, partUnits[at] ?? 0, `${part.backend} ${part.connection}`))
    })
    if (timing.parts.length > 1) entries.push(entry('upstream-wait', partUnits[timing.parts.length] ?? 0))
  }
  entries.push(entry('post', post))
  if (timing.postHoldUs > 0)
    entries.push(entry('post-hold', Math.min(post, Math.floor(timing.postHoldUs / US_PER_PRINTED))))
  entries.push(entry('total', totalUnits))
  return entries.join(', ')
}

function entry(name: string, units: number, description?: string): string {
  const hundredths = units % 100
  const text = `${name};dur=${Math.floor(units / 100)}.${hundredths < 10 ? '0' : ''}${hundredths}`
  return description === undefined
    ? text
    : `${text};desc="${description.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')}"`
}

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
