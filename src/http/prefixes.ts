import type { SurfaceName } from '../dialects/index.ts'

/** Under which prefix each surface's operations stand. */
export const PREFIXES: readonly { readonly prefix: string; readonly surface: SurfaceName }[] = [
  { prefix: '/v1', surface: 'openai' }, // the one that is meant when none is given
  { prefix: '/api/v1', surface: 'openrouter' },
]

/** The surface of a path, whether or not anything is there: it says how an error is written. OpenAI's is everybody's default. */
export const surfaceAt = (pathname: string): SurfaceName =>
  PREFIXES.find(({ prefix }) => pathname.startsWith(`${prefix}/`))?.surface ?? 'openai'
