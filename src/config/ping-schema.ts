import { z } from 'zod'

const DAY_MS = 86_400_000
const EVERY_MS_MIN = 1000
const PATH = /^\/[\x21-\x7e]*$/
const ERROR = 'must be off, or { path: /models, every_ms: 15000, credential: false }'

/** `ping` of a backend: what its idle connections are asked, to learn whether their path is alive. */
export const pingSchema = z.union(
  [
    z.literal('off'),
    z.strictObject({
      path: z.string().regex(PATH, 'must be a path below the url, such as /models').max(1000).default('/models'),
      every_ms: z.int().min(EVERY_MS_MIN).max(DAY_MS).optional(),
      credential: z.boolean().default(false),
    }),
  ],
  ERROR,
)
