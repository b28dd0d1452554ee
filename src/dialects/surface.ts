import type { DialectName, Money, OperationName, Usage } from '../domain/index.ts'

/** The form of what goes to callers: `/v1` has OpenAI's, `/api/v1` OpenRouter's (WIRE.md, 0), and `/messages` below either one of its own. */
export type SurfaceName = 'openai' | 'openrouter' | 'anthropic' | 'openrouter-messages'

/** How callers under one prefix are answered. Several surfaces may share a wire format; what differs between them is here. */
export interface Surface {
  readonly name: SurfaceName
  /** The wire format of its requests and answers. */
  readonly dialect: DialectName
  /** Every answer and event bears marks of the gateway's own: `ReplyView.stamp`. */
  readonly isStamped: boolean

  /** The body of an error answer. */
  writeError(error: PublicError): Uint8Array

  /** The event that ends a stream which fails after its head was sent. Nothing follows it, no `[DONE]` either. */
  writeErrorEvent(error: PublicError, mark: AnswerMark): Uint8Array
}

/** What one answer is called by. */
export interface AnswerMark {
  readonly operation: OperationName
  /** `gen-…` */
  readonly id: string
  readonly createdS: number
  readonly model: string
  /** Id of the provider that serves; of the gateway where backends are hidden. */
  readonly provider: string
  /** Of a stream that has begun, where its dialect numbers events. */
  readonly begun?: BegunAnswer | undefined
}

/** How far a stream has come whose events are numbered. */
export interface BegunAnswer {
  /** Of the next event. */
  readonly sequence: number
  /** The answer as the first event showed it, JSON; null: none did. */
  readonly answer: Uint8Array | null
}

/** What a stamped surface writes into an answer. */
export interface ReplyStamp extends AnswerMark {
  /** Sent with the account's own credential. */
  readonly isByok: boolean
  /** What the account pays for this usage. */
  cost(usage: Usage): Money
  /** What is billed when the provider reports no usage, by UTF-8 bytes of text; `prompt` where it told that of the prompt. */
  estimate(textBytes: number, prompt?: Usage | null): Usage
  /** JSON of `openrouter_metadata`, told once, beside the usage; absent: nobody asked. */
  routing?(): string
}

/** An error as a caller sees it, before it is given a surface's shape. */
export interface PublicError {
  readonly status: number
  readonly message: string
  readonly type: string
  readonly code: string | null
  readonly param: string | null
  readonly requestId: string
  /** Further fields of the error object, e.g. the list of attempts. */
  readonly extra: Readonly<Record<string, unknown>>
  /** Why a model cannot be had, for surfaces that say it in a field of its own. */
  readonly availability?: object
  /** How the request was routed, for who asked. */
  readonly routing?: object
}
