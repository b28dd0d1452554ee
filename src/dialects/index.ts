import type { DialectName } from '../domain/index.ts'
import { anthropic, anthropicSurface } from './anthropic/index.ts'
import type { Dialect, PassedOn } from './dialect.ts'
import { openai, openaiSurface } from './openai/index.ts'
import { openrouter, openrouterMessages } from './openrouter/index.ts'
import type { Surface, SurfaceName } from './surface.ts'

export type {
  CallerHead,
  Dialect,
  FormReader,
  PassedOn,
  Reply,
  ReplyStream,
  ReplyView,
  RequestFacts,
  RequestPatch,
  StoredAnswer,
  StoredName,
  StreamEvent,
} from './dialect.ts'
/** Of what a provider keeps: in OpenAI's format alone. */
export { renamedModel, tokensBeyondUsual } from './openai/index.ts'
/** What an error answer to a call of the gateway's own says: every dialect reads those of all. */
export { readAnyError } from './read-any-error.ts'
export type { AnswerMark, PublicError, ReplyStamp, Surface, SurfaceName } from './surface.ts'
export { withoutMark } from './without-mark.ts'

const DIALECTS = { openai, anthropic } as const satisfies Record<DialectName, Dialect>
const SURFACES = {
  openai: openaiSurface,
  openrouter,
  anthropic: anthropicSurface,
  'openrouter-messages': openrouterMessages,
} as const satisfies Record<SurfaceName, Surface>

/** The dialect of this name. */
export const dialectOf = (name: DialectName): Dialect => DIALECTS[name]

/** The surface of this name. */
export const surfaceOf = (name: SurfaceName): Surface => SURFACES[name]

type HeaderList = PassedOn['headers']

/**
 * The headers that show a backend our credential: those of every dialect it speaks, for a server of several mostly takes one way alone, and
 * passes over the other.
 */
export const credentialHeaders = (spoken: readonly DialectName[], secret: string | null): HeaderList =>
  spoken.flatMap((name) => dialectOf(name).credentialHeaders(secret))

/** The headers of a call of the gateway's own (a ping, the list of models), in every dialect that the backend speaks. */
export const ownCallHeaders = (spoken: readonly DialectName[], secret: string | null): HeaderList =>
  spoken.flatMap((name) => [...dialectOf(name).passedOn(null).headers, ...dialectOf(name).credentialHeaders(secret)])
