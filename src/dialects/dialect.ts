import type {
  Capability,
  DialectName,
  FurtherUnits,
  OperationName,
  Preferences,
  ProviderError,
  Usage,
} from '../domain/index.ts'
import type { Splice } from '../lib/index.ts'
import type { BegunAnswer, ReplyStamp } from './surface.ts'

/**
 * A wire format: how a request, a reply, its stream events, its errors and its usage look in bytes. Pure: no clock,
 * no sockets, no state beyond one reply. `test/unit/dialects/suite.ts` is the conformance suite every dialect passes.
 */
export interface Dialect {
  readonly name: DialectName

  /** What a backend of it can be asked; nothing else is. */
  readonly operations: ReadonlySet<OperationName>

  /**
   * Reads what the gateway must know of a request body. Throws `GatewayError`: `invalid_json` (with line and column),
   * `invalid_request` (with `param`), `duplicate_field` (only for fields that are read). Everything else is the provider's to judge.
   */
  readRequest(operation: OperationName, body: Uint8Array): RequestFacts

  /** What is asked in a form (multipart); absent: nothing is. */
  readonly forms?: ReadonlySet<OperationName>

  /** Begins to read one of `forms`. Throws `invalid_request` for a content type that is not that of a form. */
  openForm?(operation: OperationName, contentType: string): FormReader

  /** Which of `forms` may be asked in JSON as well, and the form that says the same. Throws `invalid_json`, `invalid_request`, `duplicate_field`. */
  readonly jsonForms?: ReadonlyMap<OperationName, (json: Uint8Array) => FormMade>

  /** The body for the provider: the caller's bytes, digit for digit, but for the fields that `patch` names. Never changes its input. */
  writeRequest(facts: RequestFacts, patch: RequestPatch): Uint8Array

  /** Path below a backend's base URL, e.g. `/chat/completions`. */
  path(operation: OperationName): string

  /** The headers that show the provider our credential, names in small letters; none for null. */
  credentialHeaders(secret: string | null): readonly (readonly [name: string, value: string])[]

  /** What goes on of a caller's head; without one (null) what every request of this dialect has. */
  passedOn(caller: CallerHead | null): PassedOn

  /** Reads a whole plain answer that came with status 200; a whole stream that came in its place is read as the answer it adds up to. */
  readReply(body: Uint8Array, view: ReplyView): Reply

  /** The provider's stream, from its first byte to its last, that would say the same as this plain answer (one that `readReply` took for an answer). */
  streamOf(answer: Uint8Array, operation: OperationName): Uint8Array

  /** Reads a streamed answer, or one that is bytes of a medium, from its first byte. */
  openStream(view: ReplyView): ReplyStream

  /** What a provider's error answer says. Any bytes: JSON of any shape, HTML, nothing. Message at most 2,000 characters. */
  readError(status: number, body: Uint8Array): ProviderError
}

/** Of the caller's request. */
export type CallerHead = Pick<Request, 'headers' | 'url'>

/** What reaches the provider of a caller's head. */
export interface PassedOn {
  /** Names in small letters. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** With its `?`; empty for none. */
  readonly query: string
}

/** A form on its way in: it may be sent on before all of it has come. */
export interface FormReader {
  /** Takes the next bytes. Throws `GatewayError`: `invalid_request`, `duplicate_field`. */
  push(bytes: Uint8Array): void
  /** All of it has come. Throws `invalid_request` when its end is missing. */
  end(): void
  /** What decides where it is sent is known, a file has begun, and more is to come. */
  readonly isEnough: boolean
  /** What is known. Fields that would change it are faults from now on. Throws like `push`. */
  facts(begun: FormBegun): RequestFacts
  /** Its short texts, as JSON: what of it is worth keeping. */
  readonly said: Uint8Array
}

/** A form that was made here, and read to its end. */
export interface FormMade {
  readonly form: FormReader
  readonly body: Uint8Array
}

/** How much of a form is there. */
export interface FormBegun {
  /** From its first byte. */
  readonly body: Uint8Array
  /** Of the whole; null when nobody told. */
  readonly bodyBytes: number | null
  /** Nothing follows. */
  readonly isWhole: boolean
}

/** Where a value stands in a body: `[start, end)` in bytes. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** What the gateway reads of a request. */
export interface RequestFacts {
  readonly operation: OperationName
  /** Of a form that is still coming: its beginning. */
  readonly body: Uint8Array
  /** Its content type; JSON's when absent. */
  readonly bodyType?: string
  /** More of the form follows, with fields that nobody has read: what its answer is shows in its head. */
  readonly isOpen?: true
  readonly model: string
  readonly stream: boolean
  /** The caller asked for usage in the stream (plain answers always carry it). */
  readonly usageWanted: boolean
  /** How many answers are asked for (`n`, `best_of`); at least 1. Odd values are the provider's to judge and count as 1. */
  readonly choices: number
  /** The caller's own limit of the answer in tokens, per choice; null when none is named. */
  readonly outputLimit: number | null
  /** UTF-8 bytes of what the model will read as text; never base64. */
  readonly promptTextBytes: number
  /** Of several texts that the model reads one by one, the longest; absent: it reads all as one. */
  readonly longestTextBytes?: number
  /** Tokens reckoned for images, audio and files, by the dialect's table. */
  readonly promptMediaUnits: number
  /** Units that the request itself fixes and that are billed beside its tokens (pictures, characters, searches); absent: none. */
  readonly asked?: FurtherUnits
  /** The answer is no JSON and no events but the bytes of a medium, passed on as they are. */
  readonly isBinary?: true
  /** The answer is a text without JSON, or may be one: how it is asked for was not read yet. */
  readonly textual?: 'always' | 'maybe'
  /** The answer tells no usage: who pays needs an offer that has one of these prices, or is free. */
  readonly pricedBy?: readonly ('perRequest' | 'perMillionCharacters' | 'perAudioHour')[]
  /** The field that asks the provider to serve it for more than its usual price (a faster tier); absent: none. */
  readonly dearer?: string
  /** Nobody pays for it: nothing is generated. */
  readonly isFree?: true
  /** How vectors are to be written in the answer; absent where there are none, or in a form of the provider's own. */
  readonly vectors?: VectorFormat
  /** What a model must be able to do for it, as far as the body says so; absent: nothing of its own. */
  readonly needs?: readonly Capability[] | undefined
  /** What the caller asks of routing; absent: nothing. */
  readonly preferences?: Preferences | undefined
  /** The conversation that the caller says it belongs to (`session_id`). */
  readonly sessionId?: string | undefined
  /** Requests that share the beginning of their prompt have the same one; it goes on to the provider too. */
  readonly promptCacheKey?: string | undefined
  /** What it names of things that a provider keeps; absent: nothing. */
  readonly names?: readonly StoredName[]
  /** The provider keeps the answer, unless that says otherwise: it can be asked for by its id later. */
  readonly isKept?: true
  /** For `writeRequest` of the same dialect. */
  readonly layout: RequestLayout
}

/** Something that a provider keeps for an account, as a request names it. `foreign`: it was not made through the gateway, which cannot tell whose it is. */
export interface StoredName {
  readonly kind: 'response' | 'item' | 'file' | 'foreign'
  /** Empty for what is foreign. */
  readonly id: string
  /** Where it stands in the request. */
  readonly param: string
}

/** A response that a provider keeps, and its items so far. */
export interface StoredAnswer {
  readonly id: string
  readonly items: readonly string[]
  /** Of all that it is made of and says; null: not told, or not yet. */
  readonly usage: Usage | null
}

/** Lists of numbers, or base64 of their 32-bit floats, the lowest byte first. */
export type VectorFormat = 'float' | 'base64'

/** Where the fields stand that may be spliced. */
export interface RequestLayout {
  /** Null: the body has none, and the operation has a model that is meant then. */
  readonly model: Span | null
  readonly streamOptions: Span | null
  /** Where `include_usage` stands inside `stream_options`, when it does. */
  readonly includeUsage: Span | null
  /** Where the limit of the answer stands; several when the caller gave it under several names. */
  readonly outputLimits: readonly Span[]
  /** Just after the outermost `{`: where a new field is put. */
  readonly insertAt: number
  /** Takes out the fields that are for the gateway alone. */
  readonly cuts?: readonly Splice[] | undefined
  /** Of a form: then `model` is the content of its part, and a new part is put at `insertAt`. */
  readonly boundary?: string
}

/** The only three fields that are ever changed on the way to the provider. */
export interface RequestPatch {
  /** The model's id at the provider. */
  readonly model: string
  /** Streams always ask the provider for usage: money needs it. */
  readonly askUsage: boolean
  /** Tokens to write into the limit field, where money demands it; null leaves the field as it is. */
  readonly outputLimit: number | null
}

/** How the caller must see the reply. */
export interface ReplyView {
  readonly operation: OperationName
  /** Written in place of the provider's model id. */
  readonly model: string
  /** False withholds a stream's usage event: nobody asked for it. */
  readonly showUsage: boolean
  /** As in `RequestFacts`. */
  readonly vectors?: VectorFormat
  readonly isBinary?: true
  readonly textual?: 'always' | 'maybe'
  /** How many events end a stream: one for each picture that was asked for. One when absent. */
  readonly ends?: number
  /**
   * Without it all else stays as the provider sent it. With it every answer and event is written with these marks, and usage, its cost in it, is
   * told exactly once: in a plain answer, or in an event of its own before the end of a stream, asked for or not (WIRE.md, 3.2).
   */
  readonly stamp?: ReplyStamp
}

/** What a 200 turned out to be. */
export type Reply =
  | {
      readonly kind: 'answer'
      readonly body: Uint8Array
      readonly usage: Usage | null
      readonly textBytes: number
      readonly finishReason?: string | null
      /** Its content type; JSON's when absent. */
      readonly mediaType?: string
      /** What the provider keeps of it; absent: nothing. */
      readonly stored?: StoredAnswer
    }
  | { readonly kind: 'error'; readonly error: ProviderError; readonly usage: Usage | null }
  | { readonly kind: 'not_an_answer'; readonly message: string }

/** One streamed answer. Bytes go in as they come, split anywhere; whole events come out in the caller's form. */
export interface ReplyStream {
  /** The events that these bytes complete. Nothing comes out after `[DONE]`. Throws `GatewayError` `stream_broken` for an event beyond 4 MB. */
  push(bytes: Uint8Array): readonly StreamEvent[]
  /** The provider's body came to its proper end: the last event, if it lacks its blank line. */
  end(): readonly StreamEvent[]
  /** What the caller still needs for a clean end, e.g. a missing `[DONE]`; empty when nothing. */
  closing(): Uint8Array
  /** Reported so far, normalised; null while the provider has reported none. */
  readonly usage: Usage | null
  /** Of the prompt alone, where the provider tells it ahead of the answer: for an end before the whole is reported. */
  readonly promptUsage?: Usage | null
  /** UTF-8 bytes of text, reasoning and tool arguments so far. */
  readonly textBytes: number
  /** Of the first choice that has one: why the answer ended, in the provider's word. */
  readonly finishReason?: string | null
  /** What the provider keeps of the answer, as far as it told; absent or null: nothing. */
  readonly stored?: StoredAnswer | null
  /** What the event that tells of a broken end goes on from. */
  readonly begun?: BegunAnswer
  /** A finish_reason (or the dialect's like) was seen for every choice that began: the answer is complete. */
  readonly finished: boolean
  /** The mark that ends a finished answer (`[DONE]`) came out too: nothing is missing, whatever becomes of the provider's body. */
  readonly closed: boolean
}

/**
 * `content`: makes the commit point (non-empty text, reasoning, refusal, tool call or audio, or a finish_reason).
 * `silent`: to be passed on, but no content (the role, an event of unknown use, a comment). `withheld`: not for the caller; `bytes` is empty.
 * `error`: the provider says it failed; never passed on as it is.
 */
export type StreamEvent =
  | { readonly kind: 'content' | 'silent' | 'withheld'; readonly bytes: Uint8Array }
  | { readonly kind: 'error'; readonly bytes: Uint8Array; readonly error: ProviderError }
