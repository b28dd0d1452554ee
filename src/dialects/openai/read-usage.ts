import type { Usage } from '../../domain/index.ts'
import { JsonKeys, type JsonReader } from '../../lib/index.ts'

/**
 * Reads the value of `usage` and normalises it: OpenAI counts cached tokens and cache writes inside `prompt_tokens`, reasoning
 * inside `completion_tokens` (platform.openai.com/docs/api-reference/chat/object). xAI's servers count reasoning outside; it
 * shows in the total. A figure that is no count (null, negative, text, beyond a thousand million) is as if absent; with one of the two main figures absent
 * the other is taken from the total, and a report that names neither, or only one and no total, is none: null.
 */
export function readUsage(reader: JsonReader): Usage | null {
  const figures: Figures = { prompt: null, completion: null, total: null, cached: 0, cacheWrite: 0, reasoning: 0 }
  if (reader.peek() !== 'object') {
    reader.skip()
    return null
  }
  reader.enter()
  while (reader.nextKey()) {
    const field = reader.key(FIELDS)
    if (field === 'prompt_tokens') figures.prompt = readCount(reader)
    else if (field === 'completion_tokens') figures.completion = readCount(reader)
    else if (field === 'total_tokens') figures.total = readCount(reader)
    else if (field !== undefined && reader.peek() === 'object') readDetails(reader, figures)
    else reader.skip()
  }
  return normalised(figures)
}

const COUNT_MAX = 1_000_000_000
const FIELDS = new JsonKeys([
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'prompt_tokens_details',
  'completion_tokens_details',
])
const DETAILS = new JsonKeys(['cached_tokens', 'cache_write_tokens', 'reasoning_tokens'])

interface Figures {
  prompt: number | null
  completion: number | null
  total: number | null
  cached: number
  cacheWrite: number
  reasoning: number
}

function readDetails(reader: JsonReader, figures: Figures): void {
  reader.enter()
  while (reader.nextKey()) {
    const detail = reader.key(DETAILS)
    if (detail === 'cached_tokens') figures.cached = readCount(reader) ?? 0
    else if (detail === 'cache_write_tokens') figures.cacheWrite = readCount(reader) ?? 0
    else if (detail === 'reasoning_tokens') figures.reasoning = readCount(reader) ?? 0
    else reader.skip()
  }
}

function readCount(reader: JsonReader): number | null {
  const isNumber = reader.peek() === 'number'
  reader.skip()
  if (!isNumber) return null
  const value = reader.number()
  return Number.isInteger(value) && value >= 0 && value <= COUNT_MAX ? value : null
}

function normalised({ total, ...figures }: Figures): Usage | null {
  const prompt = figures.prompt ?? difference(total, figures.completion)
  const completion = figures.completion ?? difference(total, figures.prompt)
  if (prompt === null || completion === null) return null
  const cachedInput = Math.min(figures.cached, prompt)
  const cacheWrite = Math.min(figures.cacheWrite, prompt - cachedInput)
  const isOutside = figures.reasoning > 0 && total === prompt + completion + figures.reasoning
  const reasoning = isOutside ? figures.reasoning : Math.min(figures.reasoning, completion)
  return {
    input: prompt - cachedInput - cacheWrite,
    cachedInput,
    cacheWrite,
    output: isOutside ? completion : completion - reasoning,
    reasoning,
  }
}

function difference(total: number | null, part: number | null): number | null {
  return total === null || part === null || part > total ? null : total - part
}
