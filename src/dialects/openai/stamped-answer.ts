import type { Usage } from '../../domain/index.ts'
import { JsonKeys, type JsonKind, type JsonReader } from '../../lib/index.ts'
import type { Span } from '../dialect.ts'
import { routingField } from '../routing-field.ts'
import type { ReplyStamp } from '../surface.ts'
import type { AnswerWatcher } from './answer-reader.ts'
import { ABSENT_NOT_NULL, type AnswerForm, isEmptyList, MUST_BE_ABSENT, repairedChoices } from './repaired-choices.ts'
import { stampedUsage } from './stamped-usage.ts'

/**
 * Writes answers of a stamped surface: watches an `AnswerReader` and puts the answer together anew, our marks first, then the fields that
 * stay, byte for byte. Choices are rewritten only where strict readers would stumble. `usage` is taken out and kept, to be told once.
 */
export class StampedAnswer implements AnswerWatcher {
  readonly #form: AnswerForm
  readonly #stamp: ReplyStamp
  readonly #head: Buffer // up to our marks, and the end: of the JSON, and of the event around it
  readonly #tail: Buffer
  readonly #required: number
  /** What stays of the answer read last: starts and ends in turn. */
  readonly #kept: number[] = []
  #isExtendable = false // the last one kept reaches to the field before
  #choices: Span | null = null // where they are to be rewritten
  #seen = 0
  #needsRepair = false
  #choiceSeen = 0
  readonly #copies: Copy[] = [] // reasoning of the answer read last that is to be said by its other name, too
  #copy: Copy | null = null
  readonly #begun = new Set<number>() // choices of a stream that have their role
  readonly #nameless: number[] = [] // those that begin in the answer read last without it
  #field: Field | undefined
  #kind: JsonKind = 'null'
  #fieldStart = 0
  #valueStart = 0
  #usage: Span | null = null
  #given: unknown = null
  #createdStart = -1 // of its value, in the answer read last
  #createdEnd = -1
  #created: string // as the provider tells it, where it does

  constructor(stamp: ReplyStamp, form: AnswerForm, isEvent: boolean) {
    this.#stamp = stamp
    this.#form = form
    this.#created = String(stamp.createdS)
    this.#required = REQUIRED[form]
    const { id, provider, model } = stamp
    const marks = JSON.stringify({ id, provider, model }).slice(0, -1)
    this.#head = Buffer.from(isEvent ? `data: ${marks}` : marks)
    this.#tail = Buffer.from(isEvent ? '}\n\n' : '}')
  }

  // What the reader tells

  answerBegins(): void {
    this.#kept.length = 0
    this.#isExtendable = false
    this.#choices = null
    this.#seen = 0
    this.#needsRepair = false
    this.#nameless.length = 0
    this.#copies.length = 0
    this.#usage = null
    this.#createdStart = -1
  }

  fieldBegins(reader: JsonReader): void {
    this.#fieldStart = reader.keyStart
    this.#field = reader.key(FIELDS)
    this.#kind = reader.peek()
    this.#valueStart = reader.position
  }

  fieldEnds(reader: JsonReader): void {
    const { position: end } = reader
    const field = this.#field
    const value = { start: this.#valueStart, end }
    if (field === 'usage' && this.#kind !== 'null') this.#usage = value
    const isOdd = (field === 'created' || field === 'object') && !this.#isRight(field, reader)
    if (field === 'created' && !isOdd) {
      this.#createdStart = value.start
      this.#createdEnd = end
    }
    if (field === 'choices') this.#choicesEnd(value)
    else if (field !== undefined && !isOdd) this.#seen |= BITS[field]
    if (!isOdd && this.#stays(field)) this.#keep(end)
    else this.#isExtendable = false
  }

  /** Azure's first event has an empty `object`; other servers tell fractions of a second. Strict readers refuse both. */
  #isRight(field: 'object' | 'created', reader: JsonReader): boolean {
    if (field === 'created') return this.#kind === 'number' && Number.isSafeInteger(reader.number())
    return this.#kind === 'string' && reader.stringIn(OBJECT_KEYS[this.#form]) !== undefined
  }

  /** Of those that are given twice the last count. */
  #choicesEnd(value: Span): void {
    const isList = this.#kind === 'array'
    this.#choices = isList && this.#needsRepair ? value : null
    if (isList) this.#seen |= BITS.choices
    else this.#seen &= ~BITS.choices
  }

  choiceBegins(): void {
    this.#choiceSeen = 0
    this.#copy = null
  }

  oddChoice(): void {
    this.#needsRepair = true
  }

  /** Of a field that is given twice the last counts, as with every reader behind. */
  choiceField(reader: JsonReader): void {
    const field = reader.key(CHOICE_FIELDS)
    if (field === undefined) return
    const isPart = field === 'delta' || field === 'message' || field === 'text'
    if (isPart && field !== this.#form) return
    if (isSound(field, reader)) this.#choiceSeen |= CHOICE_BITS[field]
    else this.#choiceSeen &= ~CHOICE_BITS[field]
  }

  messageField(reader: JsonReader): void {
    const field = reader.key(MESSAGE_FIELDS)
    if (field === undefined) return
    const kind = reader.peek()
    if (field === 'content' || field === 'refusal') this.#choiceSeen |= MESSAGE_BITS[field]
    else if (field === 'role' && kind === 'string') this.#choiceSeen |= MESSAGE_BITS.role
    else if (field === 'reasoning' || field === 'reasoning_content') {
      if (kind === 'string' && isSaid(reader)) {
        this.#choiceSeen |= MESSAGE_BITS[field]
        if (field === 'reasoning_content') this.#copy = copyOf(reader)
      } else if (field === 'reasoning') this.#choiceSeen |= MESSAGE_BITS.no_reasoning
      return
    }
    if (kind === 'null' ? MUST_BE_ABSENT.has(field) : kind === 'array' && (field === 'content' || isEmptyList(reader)))
      this.#needsRepair = true
  }

  choiceEnds(index: number): void {
    if ((this.#choiceSeen & this.#required) !== this.#required) this.#needsRepair = true
    const reasoning = this.#choiceSeen & OF_REASONING
    if (reasoning === MESSAGE_BITS.reasoning_content && this.#copy !== null) this.#copies.push(this.#copy)
    else if (reasoning === (MESSAGE_BITS.reasoning_content | MESSAGE_BITS.no_reasoning)) this.#needsRepair = true
    if (this.#form !== 'delta' || this.#begun.has(index)) return
    if ((this.#choiceSeen & MESSAGE_BITS.role) !== 0) this.#begun.add(index)
    else {
      this.#nameless.push(index)
      this.#needsRepair = true
    }
  }

  // What is written

  /** Of the answer that was just read from `bytes`: keeps what its usage says, for `usage`, and when it was made, for `usageEvent`. */
  noteUsage(bytes: Buffer): void {
    if (this.#createdStart >= 0) this.#created = bytes.toString('utf8', this.#createdStart, this.#createdEnd)
    if (this.#usage !== null) this.#given = JSON.parse(textAt(bytes, this.#usage))
  }

  /** The answer that was just read from `bytes`, in memory of its own: an event, or a plain one with its usage. */
  written(bytes: Buffer, usage: string | null): Buffer {
    const kept = this.#kept
    const rest = this.#rest(bytes, usage)
    let size = this.#head.length + rest.length + this.#tail.length
    for (let at = 0; at < kept.length; at += 2) size += (kept[at + 1] ?? 0) - (kept[at] ?? 0) + 1
    const copies = this.#choices === null ? this.#copies : NO_COPIES // choices that are rewritten have it
    for (const { start, end } of copies) size += REASONING.length + (end - start) + 1
    const target = Buffer.allocUnsafe(size)
    let to = this.#head.copy(target)
    for (let at = 0; at < kept.length; at += 2) {
      target[to++] = COMMA
      let from = kept[at] ?? 0
      const end = kept[at + 1] ?? 0
      for (const copy of copies) {
        if (copy.at < from || copy.at >= end) continue
        to += bytes.copy(target, to, from, copy.at)
        to += REASONING.copy(target, to)
        to += bytes.copy(target, to, copy.start, copy.end)
        target[to++] = COMMA
        from = copy.at
      }
      to += bytes.copy(target, to, from, end)
    }
    to += rest.copy(target, to)
    this.#tail.copy(target, to)
    for (const index of this.#nameless) this.#begun.add(index)
    return target
  }

  /** The value of `usage` for what the provider reported, or for what is billed in its place. */
  usage(reported: Usage | null, textBytes: number): string {
    const usage = reported ?? this.#stamp.estimate(textBytes)
    return stampedUsage(reported === null ? null : this.#given, usage, this.#stamp)
  }

  /** The one event of a stream that tells its usage. Its empty delta is for readers that look for usage only beside one. */
  usageEvent(reported: Usage | null, textBytes: number): Buffer {
    const choices = this.#form === 'delta' ? EMPTY_CHOICE : ''
    const made = `,"object":"${OBJECTS[this.#form]}","created":${this.#created},"choices":[${choices}]`
    const told = `"usage":${this.usage(reported, textBytes)}${routingField(this.#stamp)}`
    return Buffer.concat([this.#head, Buffer.from(`${made},${told}`), this.#tail])
  }

  /** What follows the fields that stay: those that are rewritten, missing or ours. Nothing in most events. */
  #rest(bytes: Buffer, usage: string | null): Buffer {
    let json = ''
    if ((this.#seen & BITS.object) === 0) json += `,"object":"${OBJECTS[this.#form]}"`
    if ((this.#seen & BITS.created) === 0) json += `,"created":${this.#stamp.createdS}`
    if (this.#choices !== null)
      json += `,"choices":${repairedChoices(partOf(bytes, this.#choices), this.#form, this.#nameless)}`
    else if ((this.#seen & BITS.choices) === 0) json += ',"choices":[]'
    if (this.#form === 'message' && (this.#seen & BITS.system_fingerprint) === 0) json += ',"system_fingerprint":null'
    if (usage !== null) json += `,"usage":${usage}${routingField(this.#stamp)}`
    return json === '' ? NOTHING : Buffer.from(json)
  }

  #stays(field: Field | undefined): boolean {
    if (field === undefined || field === 'object' || field === 'created') return true
    if (field === 'choices') return this.#kind === 'array' && !this.#needsRepair
    return field === 'system_fingerprint' && (this.#form === 'message' || this.#kind !== 'null')
  }

  /** Neighbours that stay, stay together with the comma between them. */
  #keep(end: number): void {
    if (this.#isExtendable) this.#kept[this.#kept.length - 1] = end
    else this.#kept.push(this.#fieldStart, end)
    this.#isExtendable = true
  }
}

const FIELDS = new JsonKeys(['id', 'provider', 'model', 'usage', 'object', 'created', 'choices', 'system_fingerprint'])
type Field = typeof FIELDS extends JsonKeys<infer Name> ? Name : never
const BITS: Readonly<Record<Field, number>> = {
  id: 0,
  provider: 0,
  model: 0,
  usage: 0,
  object: 1,
  created: 2,
  choices: 4,
  system_fingerprint: 8,
}
const CHOICE_FIELDS = new JsonKeys(['index', 'delta', 'message', 'finish_reason', 'logprobs', 'text'])
type ChoiceField = typeof CHOICE_FIELDS extends JsonKeys<infer Name> ? Name : never
const CHOICE_BITS = { index: 1, delta: 2, message: 2, text: 2, finish_reason: 4, logprobs: 8 } as const
const MESSAGE_FIELDS = new JsonKeys(['content', 'refusal', 'reasoning', 'reasoning_content', ...ABSENT_NOT_NULL])
const MESSAGE_BITS = {
  content: 16,
  refusal: 32,
  role: 64,
  reasoning: 128,
  reasoning_content: 256,
  no_reasoning: 512, // the field is there, and says nothing
} as const
const OF_REASONING = MESSAGE_BITS.reasoning | MESSAGE_BITS.reasoning_content | MESSAGE_BITS.no_reasoning
const OF_DELTA = 1 | 2 | 4
const REQUIRED = { delta: OF_DELTA, text: OF_DELTA | 8, message: OF_DELTA | 8 | 16 | 32 | 64 } as const
const EMPTY_CHOICE = '{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}'
const OBJECTS = { delta: 'chat.completion.chunk', message: 'chat.completion', text: 'text_completion' } as const
const OBJECT_KEYS: Readonly<Record<AnswerForm, JsonKeys<string>>> = {
  delta: new JsonKeys([OBJECTS.delta]),
  message: new JsonKeys([OBJECTS.message]),
  text: new JsonKeys([OBJECTS.text]),
}
const NOTHING = Buffer.alloc(0)
const QUOTE = 0x22
const COMMA = 0x2c

/** Whether a choice's field, whose value comes next, is of the kind that readers take. */
function isSound(field: ChoiceField, reader: JsonReader): boolean {
  const kind = reader.peek()
  if (field === 'logprobs') return true
  if (field === 'index') return kind === 'number'
  if (field === 'text') return kind === 'string'
  if (field === 'finish_reason') return kind === 'null' || (kind === 'string' && isSaid(reader))
  return kind === 'object'
}

/** Whether the text that comes next has anything in it. */
const isSaid = ({ bytes, position }: JsonReader): boolean => bytes[position + 1] !== QUOTE

/** A text, and the field that it stands in: there it is put once more, as `reasoning`. */
interface Copy extends Span {
  readonly at: number
}

/** Of the field whose text comes next. */
function copyOf({ bytes, position: start, keyStart: at }: JsonReader): Copy {
  let end = start + 1
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1
  return { at, start, end: end + 1 }
}

const REASONING = Buffer.from('"reasoning":')
const NO_COPIES: readonly Copy[] = []
const BACKSLASH = 0x5c

const partOf = (bytes: Buffer, { start, end }: Span): Buffer => bytes.subarray(start, end)
const textAt = (bytes: Buffer, { start, end }: Span): string => bytes.toString('utf8', start, end)
