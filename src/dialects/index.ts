import type { DialectName } from '../domain/index.ts'
import type { Dialect } from './dialect.ts'
import { openai } from './openai/index.ts'

export type {
  Dialect,
  PublicError,
  Reply,
  ReplyStream,
  ReplyView,
  RequestFacts,
  RequestPatch,
  StreamEvent,
} from './dialect.ts'

const DIALECTS = { openai } as const satisfies Record<DialectName, Dialect>

/** The dialect of this name. */
export const dialectOf = (name: DialectName): Dialect => DIALECTS[name]
