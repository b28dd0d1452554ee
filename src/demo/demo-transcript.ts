import { eventText } from '../lib/index.ts'
import type { Fields } from './as-chat.ts'
import { greetingOf, tokensOf } from './demo-answer.ts'
import type { DemoReply } from './demo-reply.ts'

const BYTES_PER_SECOND = 4000
const TOKENS_PER_SECOND = 10

/** The same words whatever is heard; how long it was goes by the size of its file. */
export function demoTranscript({ file, response_format: format, stream }: Fields, backend: string): DemoReply {
  const pieces = tokensOf(greetingOf(backend))
  const text = pieces.join('')
  const seconds = Math.max(1, Math.ceil(bytesOf(file) / BYTES_PER_SECOND))
  const input = seconds * TOKENS_PER_SECOND
  const usage = {
    type: 'tokens',
    input_tokens: input,
    input_token_details: { text_tokens: 0, audio_tokens: input },
    output_tokens: pieces.length,
    total_tokens: input + pieces.length,
  }
  if (stream === true) {
    const deltas = pieces.map((delta) => ({ type: 'transcript.text.delta', delta }))
    const events = [...deltas, { type: 'transcript.text.done', text, usage }]
    return { kind: 'events', events: events.map(eventText) }
  }
  if (format === 'text') return { kind: 'text', text: `${text}\n` }
  if (format === 'srt') return { kind: 'text', text: `1\n00:00:00,000 --> ${timeOf(seconds, ',')}\n${text}\n` }
  if (format === 'vtt') return { kind: 'text', text: `WEBVTT\n\n00:00:00.000 --> ${timeOf(seconds, '.')}\n${text}\n` }
  if (format === 'verbose_json')
    return { kind: 'json', body: { task: 'transcribe', language: 'english', duration: seconds, text, segments: [] } }
  return { kind: 'json', body: { text, usage } }
}

const bytesOf = (file: unknown): number =>
  typeof file === 'object' && file !== null && 'bytes' in file ? Number(file.bytes) : 0

const timeOf = (seconds: number, point: string): string =>
  `${[Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0')).join(':')}${point}000`
