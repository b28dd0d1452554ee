import { z } from 'zod'
import { DAY_MS } from '../lib/index.ts'

/** A whole number within bounds. */
export const whole = (min: number, max: number) => z.int().min(min).max(max)

/** A span of time, up to a day. */
export const ms = (min = 1) => whole(min, DAY_MS)

const TOKENS_MAX = 100_000_000

/** A count of tokens. */
export const tokens = whole(1, TOKENS_MAX)
