import type { SurfaceName } from '../dialects/index.ts'
import type { DialectName } from '../domain/index.ts'

/** Where public operations stand, and how callers there are answered. */
export interface Prefix {
  readonly prefix: string
  /** By the dialect of the operation. */
  readonly surfaces: Readonly<Record<DialectName, SurfaceName>>
}

/** Under which prefix each surface's operations stand. */
export const PREFIXES: readonly Prefix[] = [
  { prefix: '/v1', surfaces: { openai: 'openai', anthropic: 'anthropic' } }, // the one that is meant when none is given
  { prefix: '/api/v1', surfaces: { openai: 'openrouter', anthropic: 'openrouter-messages' } },
]

/** Paths below a prefix that are of Anthropic's dialect. */
const MESSAGES = /^\/messages(\/|$)/

/** The surface of a path, whether or not anything is there: it says how an error is written. OpenAI's is everybody's default. */
export function surfaceAt(pathname: string): SurfaceName {
  const found = PREFIXES.find(({ prefix }) => pathname.startsWith(`${prefix}/`))
  if (found === undefined) return 'openai'
  return found.surfaces[MESSAGES.test(pathname.slice(found.prefix.length)) ? 'anthropic' : 'openai']
}
