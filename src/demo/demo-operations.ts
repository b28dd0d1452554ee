import { eventText, isRecord } from '../lib/index.ts'
import type { AnswerHead } from './answer-body.ts'
import type { Fields } from './as-chat.ts'
import { greetingOf, tokensOf } from './demo-answer.ts'
import { demoMessage, demoTokenCount } from './demo-messages.ts'
import type { DemoReply } from './demo-reply.ts'
import { demoInputTokens, demoResponse } from './demo-responses.ts'
import { demoTranscript } from './demo-transcript.ts'

type Answer = (request: Fields, head: AnswerHead, backend: string) => DemoReply

/** By path: how a request is answered, the same way each time. */
export const DEMO_OPERATIONS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ['/v1/completions', completion],
  ['/v1/embeddings', embeddings],
  ['/v1/moderations', moderation],
  ['/v1/rerank', ranking],
  ['/v1/images/generations', (request, head) => pictures(request, head)],
  ['/v1/images/edits', (request, head) => pictures(request, head, 'image_edit')],
  ['/v1/images/variations', (request, head) => pictures(request, head)],
  ['/v1/audio/speech', speech],
  ['/v1/audio/transcriptions', (request, _head, backend) => demoTranscript(request, backend)],
  ['/v1/audio/translations', (request, _head, backend) => demoTranscript(request, backend)],
  ['/v1/responses', demoResponse],
  ['/v1/responses/input_tokens', demoInputTokens],
  ['/v1/messages', demoMessage],
  ['/v1/messages/count_tokens', demoTokenCount],
])

/** Strings of a value, wherever they stand. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsOf)
  return isRecord(value) ? Object.values(value).flatMap(textsOf) : []
}

const tokensIn = (value: unknown): number =>
  Math.max(
    1,
    textsOf(value).reduce((sum, text) => sum + tokensOf(text).length, 0),
  )

const promptUsage = (tokens: number) => ({ prompt_tokens: tokens, total_tokens: tokens })

function completion(request: Fields, { id, created, model }: AnswerHead, backend: string): DemoReply {
  const pieces = tokensOf(greetingOf(backend))
  const limit = typeof request.max_tokens === 'number' ? request.max_tokens : pieces.length
  const said = pieces.slice(0, limit)
  const reason = said.length < pieces.length ? 'length' : 'stop'
  const prompt = tokensIn(request.prompt)
  const usage = { prompt_tokens: prompt, completion_tokens: said.length, total_tokens: prompt + said.length }
  const common = { id, object: 'text_completion', created, model }
  const choice = (text: string, finish: string | null) => ({ index: 0, text, logprobs: null, finish_reason: finish })
  if (request.stream !== true)
    return { kind: 'json', body: { ...common, choices: [choice(said.join(''), reason)], usage } }
  const asksUsage = isRecord(request.stream_options) && request.stream_options.include_usage === true
  const chunks = [
    ...said.map((piece) => ({ ...common, choices: [choice(piece, null)] })),
    { ...common, choices: [choice('', reason)] },
    ...(asksUsage ? [{ ...common, choices: [], usage }] : []),
  ]
  return { kind: 'events', events: [...chunks.map(eventText), 'data: [DONE]\n\n'] }
}

const DIMENSIONS = 8
const DIMENSIONS_MAX = 4096

/** A vector of length 1 that depends on the text alone: a few sums over its characters. */
function vectorOf(text: string, dimensions: number): number[] {
  const sums = new Array<number>(dimensions).fill(0)
  for (const [at, character] of [...text].entries())
    sums[at % dimensions] = (sums[at % dimensions] ?? 0) + (character.codePointAt(0) ?? 0) * (at + 1)
  const length = Math.hypot(...sums) || 1
  return sums.map((sum) => Math.fround(sum / length))
}

function embeddings({ input, dimensions, encoding_format: format }: Fields, { model }: AnswerHead): DemoReply {
  const size = typeof dimensions === 'number' && dimensions > 0 ? Math.min(dimensions, DIMENSIONS_MAX) : DIMENSIONS
  const inputs = Array.isArray(input) && typeof input[0] !== 'number' ? input : [input]
  const data = inputs.map((one, index) => {
    const vector = vectorOf(typeof one === 'string' ? one : JSON.stringify(one), size)
    const packed = Buffer.from(Float32Array.from(vector).buffer).toString('base64')
    return { object: 'embedding', index, embedding: format === 'base64' ? packed : vector }
  })
  return { kind: 'json', body: { object: 'list', data, model, usage: promptUsage(tokensIn(input)) } }
}

function moderation({ input }: Fields, { id, model }: AnswerHead): DemoReply {
  const inputs = Array.isArray(input) ? input : [input]
  const results = inputs.map((one) => {
    const isBad = textsOf(one).some((text) => /\b(kill|murder)/i.test(text))
    return { flagged: isBad, categories: { violence: isBad }, category_scores: { violence: isBad ? 0.9 : 0.01 } }
  })
  return { kind: 'json', body: { id: `modr-${id}`, model, results } }
}

const DOCUMENTS_OF_A_SEARCH = 100

/** By how many of the query's words a document has. */
function ranking({ query, documents, top_n: top }: Fields, { model }: AnswerHead): DemoReply {
  const words = new Set(textsOf(query).flatMap((text) => text.toLowerCase().split(/\W+/)))
  const given = Array.isArray(documents) ? documents : []
  const results = given
    .map((document, index) => {
      const all = textsOf(document).flatMap((text) => text.toLowerCase().split(/\W+/))
      return { index, relevance_score: all.filter((word) => words.has(word)).length / Math.max(1, all.length) }
    })
    .sort((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, typeof top === 'number' ? top : given.length)
  const usage = {
    total_tokens: tokensIn([query, documents]),
    search_units: Math.max(1, Math.ceil(given.length / DOCUMENTS_OF_A_SEARCH)),
  }
  return { kind: 'json', body: { model, results, usage } }
}

/** One pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const PICTURE_TOKENS = 272
const PICTURES_MAX = 10

function pictures(
  { prompt, n, stream, partial_images: partials }: Fields,
  { created }: AnswerHead,
  event = 'image_generation',
): DemoReply {
  const count = typeof n === 'number' ? Math.max(1, Math.min(n, PICTURES_MAX)) : 1
  const input = tokensIn(prompt)
  const usage = (made: number) => ({
    input_tokens: input,
    output_tokens: made * PICTURE_TOKENS,
    total_tokens: input + made * PICTURE_TOKENS,
    input_tokens_details: { text_tokens: input, image_tokens: 0 },
  })
  if (stream !== true) {
    const data = Array.from({ length: count }, () => ({ b64_json: PIXEL }))
    return { kind: 'json', body: { created, data, usage: usage(count) } }
  }
  const before = Array.from({ length: typeof partials === 'number' ? partials : 0 }, (_, at) => ({
    type: `${event}.partial_image`,
    b64_json: PIXEL,
    created_at: created,
    partial_image_index: at,
  }))
  const whole = { type: `${event}.completed`, b64_json: PIXEL, created_at: created, usage: usage(1) }
  return { kind: 'events', events: [...before, whole].map(eventText) }
}

const SAMPLES_PER_SECOND = 8000
const SAMPLES_PER_CHARACTER = 400
const CHARACTERS_MAX = 4096
const TONE_HZ = 440
const WAVE_HEAD_BYTES = 44

function speech({ input, stream_format: format }: Fields): DemoReply {
  const characters = Math.min(CHARACTERS_MAX, [...String(input ?? '')].length)
  const sound = wave(characters * SAMPLES_PER_CHARACTER)
  if (format !== 'sse') return { kind: 'sound', bytes: sound }
  const tokens = tokensIn(input)
  const usage = { input_tokens: tokens, output_tokens: characters, total_tokens: tokens + characters }
  const delta = { type: 'speech.audio.delta', audio: Buffer.from(sound).toString('base64') }
  return { kind: 'events', events: [delta, { type: 'speech.audio.done', usage }].map(eventText) }
}

/** A tone as a WAV file: 8,000 samples a second, 8 bits, one channel. */
function wave(samples: number): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(new ArrayBuffer(WAVE_HEAD_BYTES + samples))
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(WAVE_HEAD_BYTES - 8 + samples, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20) // PCM
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(SAMPLES_PER_SECOND, 24)
  bytes.writeUInt32LE(SAMPLES_PER_SECOND, 28)
  bytes.writeUInt16LE(1, 32)
  bytes.writeUInt16LE(8, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(samples, 40)
  for (let at = 0; at < samples; at++)
    bytes[WAVE_HEAD_BYTES + at] = 128 + Math.round(60 * Math.sin((2 * Math.PI * TONE_HZ * at) / SAMPLES_PER_SECOND))
  return bytes
}
