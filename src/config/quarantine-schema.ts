import { z } from 'zod'
import { ms, whole } from './whole.ts'

/** `quarantine`: when a backend is out. At least two failures: one proves nothing. */
export const quarantineSchema = z
  .strictObject({
    failures: whole(2, 10_000).default(5),
    rate: z.number().min(0.01).max(1).default(0.5),
    window_ms: ms(1000).default(60_000),
    window_min: whole(2, 1_000_000).default(20),
    cooldown_ms: ms().default(15_000),
    cooldown_max_ms: ms().default(600_000),
    least_bad: z.boolean().default(false),
    probe: z.boolean().default(true),
  })
  .refine(({ cooldown_ms, cooldown_max_ms }) => cooldown_ms <= cooldown_max_ms, {
    path: ['cooldown_ms'],
    error: 'must be at most cooldown_max_ms (10 minutes when it is not given)',
  })
