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
