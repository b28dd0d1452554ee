import { completion, done, finish, PROVIDER_MODEL, role, sse, text, usage } from './sse.ts'

/** What happens to one request: what its caller does, and what a provider does with each attempt, the last one with all further ones. */
export interface AbortPlan {
  readonly number: number
  readonly stream: boolean
  readonly caller: CallerAct
  readonly provider: readonly ProviderAct[]
}

/** Leaves after so many bytes of its request or of the answer, or reads to the end. */
export type CallerAct =
  | { readonly kind: 'stays' }
  | { readonly kind: 'leaves'; readonly side: 'request' | 'answer'; readonly at: number; readonly how: 'fin' | 'rst' }

/** Gives its answer in pieces: all of it, or up to a byte where it closes, resets, or says nothing more until the other side leaves. */
export interface ProviderAct {
  readonly kind: 'whole' | 'fin' | 'rst' | 'silent'
  readonly pieces: readonly Buffer[]
  /** Whether a caller must see it as a success. `maybe`: the last event has no end yet, or a reset may have overtaken it. */
  readonly isWhole: 'yes' | 'maybe' | 'no'
}

/** A number from 0 to below `end`; the same seed gives the same row. */
export type Dice = (end: number) => number

/** Dice of a seed (mulberry32). */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0
  return (end) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end
  }
}

const REQUEST_BYTES = 420 // about what a request has, head and body
const ANSWER_HEAD_BYTES = 700 // about what the gateway puts before a body
const LONG_BYTES = 100_000 // more than a socket takes at once

/** Throws the dice for one request. */
export function abortPlan(number: number, dice: Dice): AbortPlan {
  const stream = dice(2) === 0
  const length = dice(20) === 0 ? LONG_BYTES : dice(300)
  const answer = answerBytes(stream, length)
  const caller = callerAct(dice, ANSWER_HEAD_BYTES + answer.length)
  const provider = Array.from({ length: 1 + dice(2) }, () => providerAct(dice, answer, caller.kind === 'leaves'))
  return { number, stream, caller, provider }
}

/**
 * A request of every day, and what now and then befalls it: 5 % are left by their caller, 1 % are reset by the provider and 1 % come to a
 * standstill there, at any byte. What is tried again is served.
 */
export function dailyPlan(number: number, dice: Dice): AbortPlan {
  const stream = dice(2) === 0
  const answer = answerBytes(stream, dice(20) === 0 ? LONG_BYTES : dice(300))
  const whole: ProviderAct = { kind: 'whole', pieces: piecesOf(dice, answer), isWhole: 'yes' }
  const fate = dice(100)
  if (fate < 5) {
    const at = dice(ANSWER_HEAD_BYTES + answer.length)
    const caller: CallerAct = { kind: 'leaves', side: 'answer', at, how: dice(2) === 0 ? 'fin' : 'rst' }
    return { number, stream, caller, provider: [whole] }
  }
  const kind = fate === 5 ? 'rst' : fate === 6 ? 'silent' : null
  const given = answer.subarray(0, dice(answer.length))
  const first: ProviderAct = kind === null ? whole : { kind, pieces: piecesOf(dice, given), isWhole: 'no' }
  return { number, stream, caller: { kind: 'stays' }, provider: [first, whole] }
}

function callerAct(dice: Dice, answerSize: number): CallerAct {
  if (dice(3) === 0) return { kind: 'stays' }
  const how = dice(2) === 0 ? 'fin' : 'rst'
  if (dice(3) === 0) return { kind: 'leaves', side: 'request', at: dice(REQUEST_BYTES), how }
  return { kind: 'leaves', side: 'answer', at: dice(answerSize), how }
}

function providerAct(dice: Dice, answer: Buffer, callerLeaves: boolean): ProviderAct {
  const kind = (['whole', 'whole', 'fin', 'rst', 'silent'] as const)[dice(callerLeaves ? 5 : 4)] ?? 'whole'
  if (kind === 'whole') return { kind, pieces: piecesOf(dice, answer), isWhole: 'yes' }
  const given = answer.subarray(0, dice(answer.length))
  const isWhole = !given.includes('[DONE]') ? 'no' : kind !== 'rst' && given.includes('[DONE]\n\n') ? 'yes' : 'maybe'
  return { kind, pieces: piecesOf(dice, given), isWhole }
}

function piecesOf(dice: Dice, bytes: Buffer): Buffer[] {
  const cuts = Array.from({ length: dice(5) }, () => dice(bytes.length + 1)).sort((one, other) => one - other)
  return [...cuts, bytes.length]
    .map((cut, at, all) => bytes.subarray(at === 0 ? 0 : all[at - 1], cut))
    .filter((piece) => piece.length > 0)
}

/** A whole answer as a provider puts it on the wire. */
function answerBytes(stream: boolean, length: number): Buffer {
  const words = 'w'.repeat(length)
  const { steps } = stream
    ? sse(role(), text(words), text(` of ${PROVIDER_MODEL}`), finish(), usage(9, 40), done())
    : completion(words, 9, 40)
  const [head, ...rest] = steps
  const headers = Object.entries(head?.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`)
  const framing = stream ? 'transfer-encoding: chunked\r\n' : ''
  const start = `HTTP/1.1 200 OK\r\n${headers.join('')}${framing}\r\n`
  const sent = rest.flatMap(({ send }) => (send === undefined ? [] : [send]))
  const body = stream ? `${sent.map(chunk).join('')}0\r\n\r\n` : sent.join('')
  return Buffer.from(start + body)
}

const chunk = (piece: string): string => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`

/** The seed that is asked for, or a new one. It is printed: it makes a failure happen again. */
export function seedOf(asked: string | undefined): number {
  const seed = Number(asked || crypto.getRandomValues(new Uint32Array(1))[0])
  console.log(`ANYROUTER_SEED=${seed}`)
  return seed
}
