import type { DialectName } from '../domain/index.ts'
import type { Dialect } from './dialect.ts'
import { openai, openaiSurface } from './openai/index.ts'
import { openrouter } from './openrouter/index.ts'
import type { Surface, SurfaceName } from './surface.ts'

export type {
  Dialect,
  Reply,
  ReplyStream,
  ReplyView,
  RequestFacts,
  RequestPatch,
  StreamEvent,
} from './dialect.ts'
export type { AnswerMark, PublicError, ReplyStamp, Surface, SurfaceName } from './surface.ts'

const DIALECTS = { openai } as const satisfies Record<DialectName, Dialect>
const SURFACES = { openai: openaiSurface, openrouter } as const satisfies Record<SurfaceName, Surface>

/** The dialect of this name. */
export const dialectOf = (name: DialectName): Dialect => DIALECTS[name]

/** The surface of this name. */
export const surfaceOf = (name: SurfaceName): Surface => SURFACES[name]
