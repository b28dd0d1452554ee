import { z } from 'zod'
import { ms } from './whole.ts'

const EVERY_MS_MIN = 1000
const PATH = /^\/[\x21-\x7e]*$/
const ERROR = 'must be off, or { path: /models, every_ms: 15000, credential: false }'

/** `ping` of a backend: what its idle connections are asked, to learn whether their path is alive. */
export const pingSchema = z.union(
  [
    z.literal('off'),
    z.strictObject({
      path: z.string().regex(PATH, 'must be a path below the url, such as /models').max(1000).default('/models'),
      every_ms: ms(EVERY_MS_MIN).optional(),
      credential: z.boolean().default(false),
    }),
  ],
  ERROR,
)
