import type { Usage } from '../../domain/index.ts'
import { JsonKeys, type JsonReader } from '../../lib/index.ts'
import { readCount } from '../read-count.ts'

/**
 * What `usage` said so far, in one answer or over the events of a stream: its counts are cumulative, and one of the prompt that is left out or 0 later on stays. Anthropic
 * counts cached tokens and cache writes beside `input_tokens`, and thinking inside `output_tokens` (docs.anthropic.com/en/api/messages).
 */
export class UsageFigures {
  #input: number | null = null
  #output: number | null = null
  #cached = 0
  #cacheWrite = 0
  #writtenShort = 0
  #writtenLong = 0
  #searches = 0

  /**
   * Reads the value of `usage`. A figure that is no count (null, negative, text, beyond a thousand million) is as if absent. True when it names the
   * tokens of the answer.
   */
  read(reader: JsonReader): boolean {
    if (reader.peek() !== 'object') {
      reader.skip()
      return false
    }
    let hasOutput = false
    reader.enter()
    while (reader.nextKey()) {
      const field = reader.key(FIELDS)
      if (field === undefined) reader.skip()
      else if (field === 'cache_creation' || field === 'server_tool_use') this.#readDetails(reader)
      else {
        const count = readCount(reader)
        if (count === null) continue
        if (field === 'output_tokens') hasOutput = true
        this.#note(field, count)
      }
    }
    return hasOutput
  }

  /** Of the prompt alone; null while its tokens were not named. */
  get prompt(): Usage | null {
    if (this.#input === null) return null
    const written = Math.max(this.#cacheWrite, this.#writtenShort + this.#writtenLong)
    const long = Math.min(this.#writtenLong, written)
    return {
      input: this.#input,
      cachedInput: this.#cached,
      cacheWrite: written - long,
      output: 0,
      reasoning: 0,
      ...(long === 0 ? {} : { cacheWriteLong: long }),
      ...(this.#searches === 0 ? {} : { searches: this.#searches }),
    }
  }

  /** Of the whole; null while one of the two main figures was not named. */
  get whole(): Usage | null {
    const { prompt } = this
    return prompt === null || this.#output === null ? null : { ...prompt, output: this.#output }
  }

  #note(field: CountField, count: number): void {
    if (field === 'input_tokens') this.#input = Math.max(this.#input ?? 0, count)
    else if (field === 'output_tokens')
      this.#output = count // what a stream begins with is no more than a guess
    else if (field === 'cache_read_input_tokens') this.#cached = Math.max(this.#cached, count)
    else this.#cacheWrite = Math.max(this.#cacheWrite, count)
  }

  #readDetails(reader: JsonReader): void {
    if (reader.peek() !== 'object') {
      reader.skip()
      return
    }
    reader.enter()
    while (reader.nextKey()) {
      const detail = reader.key(DETAILS)
      const count = readCount(reader)
      if (detail === undefined || count === null) continue
      if (detail === 'ephemeral_5m_input_tokens') this.#writtenShort = Math.max(this.#writtenShort, count)
      else if (detail === 'ephemeral_1h_input_tokens') this.#writtenLong = Math.max(this.#writtenLong, count)
      else this.#searches = Math.max(this.#searches, count)
    }
  }
}

const COUNT_FIELDS = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const
type CountField = (typeof COUNT_FIELDS)[number]
const FIELDS = new JsonKeys([...COUNT_FIELDS, 'cache_creation', 'server_tool_use'])
const DETAILS = new JsonKeys(['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens', 'web_search_requests'])
