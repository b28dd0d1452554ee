import { furtherUnits, NO_USAGE, type Usage } from '../../domain/index.ts'
import { JsonKeys, type JsonReader } from '../../lib/index.ts'
import { readCount } from '../read-count.ts'

/**
 * Reads the value of `usage` and normalises it: OpenAI counts cached tokens, cache writes, audio and images inside `prompt_tokens`, reasoning, audio and
 * images inside `completion_tokens` (platform.openai.com/docs/api-reference/chat/object); pictures and sound are told with `input_tokens` and
 * `output_tokens`. xAI's servers count reasoning outside; it shows in the total. A figure that is no count (null, negative, text, beyond a thousand million)
 * is as if absent; with one of the two main figures absent the other is taken from the total, and a report that names neither, or only one and no total, is
 * none: null. `isPromptOnly`: where there is nothing but a prompt, its one figure is enough, under either name.
 */
export function readUsage(reader: JsonReader, isPromptOnly = false): Usage | null {
  const figures: Figures = {
    prompt: null,
    completion: null,
    total: null,
    searches: 0,
    audioMs: 0,
    input: { ...NO_DETAILS },
    output: { ...NO_DETAILS },
  }
  if (reader.peek() !== 'object') {
    reader.skip()
    return null
  }
  reader.enter()
  while (reader.nextKey()) {
    const field = reader.key(FIELDS)
    if (field === 'prompt_tokens' || field === 'input_tokens') figures.prompt = readCount(reader)
    else if (field === 'completion_tokens' || field === 'output_tokens') figures.completion = readCount(reader)
    else if (field === 'total_tokens') figures.total = readCount(reader)
    else if (field === 'seconds') figures.audioMs = readMs(reader)
    else if (field === 'search_units') figures.searches = readCount(reader) ?? 0
    else if (field !== undefined && reader.peek() === 'object')
      readDetails(reader, field.startsWith('prompt') || field.startsWith('input') ? figures.input : figures.output)
    else reader.skip()
  }
  if (!isPromptOnly) return normalised(figures)
  const prompt = figures.prompt ?? figures.total ?? (figures.searches > 0 ? 0 : null)
  return normalised({ ...figures, prompt, completion: figures.completion ?? 0 })
}

const FIELDS = new JsonKeys([
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'prompt_tokens_details',
  'completion_tokens_details',
  'input_tokens',
  'output_tokens',
  'input_tokens_details',
  'output_tokens_details',
  'search_units',
  'input_token_details',
  'output_token_details',
  'seconds',
])
const DETAILS = new JsonKeys([
  'cached_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'audio_tokens',
  'image_tokens',
  'cached_tokens_details',
])
const CACHED_DETAILS = new JsonKeys(['audio_tokens', 'image_tokens'])

interface Figures {
  prompt: number | null
  completion: number | null
  total: number | null
  searches: number
  audioMs: number
  readonly input: Details
  readonly output: Details
}

/** Tokens of one side that are told apart. */
interface Details {
  cached: number
  cacheWrite: number
  reasoning: number
  audio: number
  image: number
  cachedAudio: number
  cachedImage: number
}

const NO_DETAILS: Details = {
  cached: 0,
  cacheWrite: 0,
  reasoning: 0,
  audio: 0,
  image: 0,
  cachedAudio: 0,
  cachedImage: 0,
}

function readDetails(reader: JsonReader, details: Details): void {
  reader.enter()
  while (reader.nextKey()) {
    const detail = reader.key(DETAILS)
    if (detail === undefined || detail === 'cached_tokens_details') {
      if (detail !== undefined && reader.peek() === 'object') readCachedDetails(reader, details)
      else reader.skip()
      continue
    }
    const count = readCount(reader) ?? 0
    if (detail === 'cached_tokens') details.cached = count
    else if (detail === 'cache_write_tokens') details.cacheWrite = count
    else if (detail === 'reasoning_tokens') details.reasoning = count
    else if (detail === 'audio_tokens') details.audio = count
    else details.image = count
  }
}

function readCachedDetails(reader: JsonReader, details: Details): void {
  reader.enter()
  while (reader.nextKey()) {
    const detail = reader.key(CACHED_DETAILS)
    if (detail === undefined) reader.skip()
    else if (detail === 'audio_tokens') details.cachedAudio = readCount(reader) ?? 0
    else details.cachedImage = readCount(reader) ?? 0
  }
}

/** So many seconds of sound in milliseconds; 0 for what can be no length of one. */
export const msOf = (seconds: number): number => (seconds > 0 && seconds <= SECONDS_MAX ? Math.ceil(seconds * 1000) : 0)

const SECONDS_MAX = 1_000_000

function readMs(reader: JsonReader): number {
  const isNumber = reader.peek() === 'number'
  reader.skip()
  return isNumber ? msOf(reader.number()) : 0
}

/** Sound that is billed by its length uses no tokens. */
function normalised({ total, input, output, searches, audioMs, ...figures }: Figures): Usage | null {
  const prompt = figures.prompt ?? difference(total, figures.completion)
  const completion = figures.completion ?? difference(total, figures.prompt)
  if (prompt === null || completion === null) return audioMs > 0 ? { ...NO_USAGE, audioMs } : null
  const isOutside = output.reasoning > 0 && total === prompt + completion + output.reasoning
  const rest = new Rest(prompt)
  const cached = new Rest(rest.take(input.cached))
  const cacheWrite = rest.take(input.cacheWrite)
  const cachedInputAudio = cached.take(Math.min(input.cachedAudio, input.audio))
  const cachedInputImage = cached.take(Math.min(input.cachedImage, input.image))
  const said = new Rest(completion)
  const reasoning = isOutside ? output.reasoning : said.take(output.reasoning)
  const further = furtherUnits({
    inputAudio: rest.take(input.audio - cachedInputAudio),
    cachedInputAudio,
    inputImage: rest.take(input.image - cachedInputImage),
    cachedInputImage,
    outputAudio: said.take(output.audio),
    outputImage: said.take(output.image),
    searches,
    audioMs,
  })
  return { input: rest.left, cachedInput: cached.left, cacheWrite, output: said.left, reasoning, ...further }
}

/** What is left of a whole while parts are taken out of it. */
class Rest {
  left: number

  constructor(whole: number) {
    this.left = whole
  }

  take(count: number): number {
    const taken = Math.min(count, this.left)
    this.left -= taken
    return taken
  }
}

function difference(total: number | null, part: number | null): number | null {
  return total === null || part === null || part > total ? null : total - part
}
