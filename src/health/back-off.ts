import type { QuarantineSettings } from '../domain/index.ts'
import type { Random } from '../lib/index.ts'

/** How long a cause lasts. */
export interface BackOff {
  /** What the next one is doubled from. */
  readonly backoffMs: number
  /** From now. */
  readonly waitMs: number
  /** Who set the time. */
  readonly source: 'retry_after' | 'back_off'
}

export interface BackOffWish {
  /** Of the same cause before this one; null for the first. */
  readonly previousMs: number | null
  /** When there was none before and the provider named no time. */
  readonly firstMs: number
  /** How long it may become by doubling. */
  readonly lastMs: number
  /** The provider's Retry-After; null when it named none. */
  readonly namedMs: number | null
}

/**
 * The next time of waiting: twice the one before, up to a fifth shorter so that gateways do not come back all at once, and never shorter
 * than what the provider named. Nothing lasts longer than the setting.
 */
export function backOff(
  { previousMs, firstMs, lastMs, namedMs }: BackOffWish,
  { cooldownMaxMs }: Pick<QuarantineSettings, 'cooldownMaxMs'>,
  random: Pick<Random, 'fraction'>,
): BackOff {
  const named = namedMs === null || namedMs <= 0 ? null : namedMs
  const backoffMs = previousMs === null ? (named ?? firstMs) : Math.max(previousMs, Math.min(lastMs, previousMs * 2))
  const jitteredMs = Math.max(1, Math.round(backoffMs * (1 - JITTER * random.fraction())))
  const isNamed = named !== null && named >= jitteredMs
  return {
    backoffMs: Math.min(cooldownMaxMs, backoffMs),
    waitMs: Math.min(cooldownMaxMs, isNamed ? named : jitteredMs),
    source: isNamed ? 'retry_after' : 'back_off',
  }
}

const JITTER = 0.2

type Settings = Pick<QuarantineSettings, 'cooldownMs' | 'cooldownMaxMs'>

/** The next time of waiting after failures. `previousMs`: what the one before was doubled from; null for the first. */
export const failureBackOff = (
  previousMs: number | null,
  settings: Settings,
  random: Pick<Random, 'fraction'>,
): BackOff => {
  const { cooldownMs: firstMs, cooldownMaxMs: lastMs } = settings
  return backOff({ previousMs, firstMs, lastMs, namedMs: null }, settings, random)
}

/** The same of a limit of rate, which is soon over: without a word of the provider's it is tried again soon. */
export const throttleBackOff = (
  previousMs: number | null,
  namedMs: number | null,
  settings: Settings,
  random: Pick<Random, 'fraction'>,
): BackOff => {
  const { cooldownMs: lastMs } = settings
  return backOff({ previousMs, firstMs: Math.min(THROTTLED_FIRST_MS, lastMs), lastMs, namedMs }, settings, random)
}

const THROTTLED_FIRST_MS = 1000 // limits of rate are by the second or the minute, and most providers name the time
