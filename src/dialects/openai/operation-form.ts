import { JsonKeys } from '../../lib/index.ts'
import type { RequestFacts } from '../dialect.ts'
import { GATEWAY_FIELDS } from '../gateway-fields.ts'

/** How OpenAI's format says one operation: a small table for each stands in `form-of.ts`. */
export interface OperationForm {
  /** Below a backend's base URL. */
  readonly path: string
  readonly request: RequestForm
  /** It is asked in a form (multipart), with files in it; in JSON when absent. */
  readonly isForm?: true
  /** What a plain answer is: choices with messages or texts, a response, a count of tokens, a document with a list, or bytes of a medium. */
  readonly answer: 'messages' | 'texts' | 'response' | 'token_count' | 'transcript' | 'bytes' | DocumentForm
  /** What its stream is, when it is none of choices. */
  readonly events?: EventForm
}

/** A plain answer with a list in place of choices. */
export interface DocumentForm {
  /** By which names its list may go: without one it is no answer. */
  readonly lists: readonly string[]
  /** What its rows are, where that matters: vectors are put in order, pictures are counted. */
  readonly rows?: 'vectors' | 'pictures'
  /** It uses no tokens but those of its prompt: usage with one figure says all. */
  readonly isPromptOnly: boolean
}

/** A stream of events that say in `type` what they are. */
export interface EventForm {
  /** Those that make the commit point. */
  readonly content: JsonKeys<string>
  /** Those that end an answer: usage stands in them. */
  readonly ends: JsonKeys<string>
  /** Each end is a picture. */
  readonly arePictures?: true
}

export interface RequestForm {
  /** The fields that are read, by name, and as what. */
  readonly fields: Readonly<Record<string, FieldRole>>
  readonly keys: JsonKeys<string>
  /** Fields that must be there. */
  readonly required: readonly string[]
  /** What is meant when no model is named; null: one must be. */
  readonly defaultModel: string | null
  /** Its streams tell their usage when they are asked to, by `stream_options`. */
  readonly asksUsage: boolean
  /** By which name a limit of the answer is put in that the caller did not give; null: by what the model is known to obey. */
  readonly limitField: string | null
  /** It is held and billed by the characters of its input, which nobody else needs counted: it must be a text. */
  readonly countsCharacters: boolean
  /** What the operation makes of all that was read: an answer that is not bounded by a field, units it is billed by, … */
  facts(seen: RequestSeen): Partial<RequestFacts>
}

/** What a field of a request says. */
export type FieldRole =
  | 'model'
  | 'messages'
  | 'stream'
  | 'stream_options'
  /** Most tokens of an answer. */
  | 'limit'
  /** How many answers. */
  | 'choices'
  /** Reaches the model as a whole, the names of its fields too. */
  | 'definition'
  /** The same, and it may name what a provider keeps. */
  | 'naming'
  /** One text, several, or lists of tokens. */
  | 'input'
  /** A text, or the items of a response. */
  | 'items'
  /** The id of a response that a provider keeps. */
  | 'response'
  /** Something that stands with the provider and was not made through the gateway. */
  | 'foreign'
  /** Its strings reach the model. */
  | 'text'
  /** For the gateway alone. */
  | 'gateway'
  | 'cache_key'
  /** Of a form: its bytes are the provider's. */
  | 'file'
  /** A word, a number or a boolean that the operation itself asks for: see `RequestSeen.words`. */
  | 'word'

/** What was read of a request, for its operation to judge. */
export interface RequestSeen {
  readonly choices: number
  /** How many texts `input` fields have, at least 1. */
  readonly inputs: number
  /** Characters of the `input` fields, where they are counted; else 0. */
  readonly characters: number
  /** Strings, numbers and booleans of fields that are words. */
  readonly words: ReadonlyMap<string, Word>
  /** Of a form, as far as it has come. */
  readonly files?: readonly SeenFile[]
  /** False: more fields may follow. */
  readonly isWhole?: boolean
}

export interface SeenFile {
  /** Null: nobody told yet. */
  readonly bytes: number | null
  /** Its first bytes. */
  readonly start: Uint8Array
}

export type Word = string | number | boolean

type FormParts = Partial<Omit<RequestForm, 'fields' | 'keys'>> & Pick<RequestForm, 'fields'>

/** A request's form; what is left out is as in most. */
export function requestForm({ fields: own, ...parts }: FormParts): RequestForm {
  const fields = { ...GATEWAY_ROLES, ...own }
  return {
    fields,
    keys: new JsonKeys(Object.keys(fields)),
    required: ['model'],
    defaultModel: null,
    asksUsage: false,
    limitField: null,
    countsCharacters: false,
    facts: () => ({}),
    ...parts,
  }
}

const GATEWAY_ROLES = Object.fromEntries(GATEWAY_FIELDS.map((name) => [name, 'gateway' as const]))
