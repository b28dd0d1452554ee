import type { Splice } from '../../lib/index.ts'
import { givenFields } from '../given.ts'
import { isFields, parseLossless } from '../parse-lossless.ts'
import type { CallSeen } from './read-calls.ts'

/**
 * Finds tool calls that strict readers refuse, over one answer: in a stream each piece needs its index, and the first of a call its id and type,
 * which Gemini's and some other servers leave out (WIRE.md, 3.2); in a plain answer each call needs id and type; and arguments are a text everywhere.
 * `isStrict`: nulls of SGLang's and LiteLLM's servers are left out, too.
 */
export class RepairedCalls {
  readonly #isStream: boolean
  readonly #isStrict: boolean
  /** Of each choice: which calls have begun, and which one last. */
  readonly #choices = new Map<number, { readonly begun: Set<number>; last: number }>()

  constructor({ isStream, isStrict }: { readonly isStream: boolean; readonly isStrict: boolean }) {
    this.#isStream = isStream
    this.#isStrict = isStrict
  }

  /** What to splice into the document at `[start, end)`, where these calls stand, from its beginning on; null for nothing. */
  splices(bytes: Buffer, start: number, end: number, calls: readonly CallSeen[]): readonly Splice[] | null {
    let splices: Splice[] | null = null
    for (const call of calls) {
      const { index, isFirst } = this.#placeOf(call)
      const isSound = !call.hasLooseArguments && !(call.hasNull && this.#isStrict)
      const isWhole = isSound && (!isFirst || (call.hasId && call.hasType))
      if (isWhole && (call.index !== null || !this.#isStream)) continue
      splices ??= []
      const json = this.#written(bytes, call, index, isFirst, () => idOf(bytes, start, end))
      splices.push({ start: call.start - start, end: call.end - start, bytes: Buffer.from(json) })
    }
    return splices
  }

  /** A piece without an index belongs to the call begun last, unless it begins one itself. */
  #placeOf({ choice, index: given, hasId, hasName }: CallSeen): { index: number; isFirst: boolean } {
    const known = this.#choices.get(choice) ?? { begun: new Set<number>(), last: -1 }
    this.#choices.set(choice, known)
    const begins = !this.#isStream || hasId || hasName || known.last < 0
    const index = given ?? (begins ? Math.max(-1, ...known.begun) + 1 : known.last)
    const isFirst = !known.begun.has(index)
    known.begun.add(index)
    known.last = index
    return { index, isFirst }
  }

  #written(bytes: Buffer, call: CallSeen, index: number, isFirst: boolean, answerId: () => string): string {
    const piece = parseLossless(bytes.toString('utf8', call.start, call.end))
    const { index: _, id, type, ...said } = isFields(piece) ? piece : {}
    const sound = call.hasNull && this.#isStrict ? withoutNulls(said) : said
    const rest = call.hasLooseArguments ? { ...sound, function: withText(sound.function) } : sound
    const place = this.#isStream ? { index } : {}
    if (!isFirst)
      return JSON.stringify({ ...place, ...(this.#isStrict ? givenFields({ id, type }) : { id, type }), ...rest })
    return JSON.stringify({
      ...place,
      id: call.hasId ? id : `call_${answerId()}_${call.choice}_${index}`,
      type: call.hasType ? type : 'custom' in rest ? 'custom' : 'function',
      ...rest,
    })
  }
}

/** Readers that take no null want the object of a function in every piece. */
function withoutNulls(said: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!('function' in said)) return givenFields(said)
  return { ...givenFields(said), function: isFields(said.function) ? givenFields(said.function) : {} }
}

/** The call of a function with its arguments as the text that they are. */
const withText = (called: unknown): unknown =>
  isFields(called) ? { ...called, arguments: JSON.stringify(called.arguments) } : called

/** Ids are told apart over a whole conversation: one that is made is made of the answer's. */
function idOf(bytes: Buffer, start: number, end: number): string {
  const answer: unknown = JSON.parse(bytes.toString('utf8', start, end))
  return isFields(answer) && typeof answer.id === 'string' ? answer.id.replace(/\W/g, '_') : ''
}
