import { isRecord, JsonKeys, JsonReader } from '../lib/index.ts'

/**
 * The optional parameters that a body uses, which was found to be a JSON object already: a second look at it, for those alone who require that
 * their parameters are known. A parameter that is null is not used.
 */
export function requestParameters(body: Uint8Array): readonly string[] {
  const used = new Set<string>()
  const reader = new JsonReader(body)
  reader.peek()
  reader.enter()
  while (reader.nextKey()) {
    const name = reader.key(KEYS)
    const kind = reader.peek()
    reader.skip()
    if (name === undefined || kind === 'null') continue
    const inside = INSIDE.get(name)
    if (inside !== undefined && kind === 'object') for (const one of inside(reader.value())) used.add(one)
    else used.add(THEIR_NAMES.get(name) ?? name)
  }
  return [...used]
}

/** What Anthropic and OpenAI's responses call parameters that have another name in `supported_parameters`. */
const THEIR_NAMES: ReadonlyMap<string, string> = new Map([
  ['stop_sequences', 'stop'],
  ['max_output_tokens', 'max_tokens'],
  ['output_format', 'structured_outputs'],
])

type Inside = (value: unknown) => readonly string[]

const formatOf: Inside = (format) => (isRecord(format) && format.type === 'json_schema' ? ['structured_outputs'] : [])

/** Objects that use more than one parameter, or none. */
const INSIDE: ReadonlyMap<string, Inside> = new Map<string, Inside>([
  ['response_format', (format) => ['response_format', ...formatOf(format)]],
  ['output_format', formatOf],
  ['thinking', (value) => (isRecord(value) && value.type === 'disabled' ? [] : ['reasoning'])],
  [
    'output_config',
    (value) =>
      isRecord(value) ? [...(value.effort == null ? [] : ['reasoning_effort']), ...formatOf(value.format)] : [],
  ],
  [
    'text',
    (value) => {
      if (!isRecord(value)) return []
      const isPlain = !isRecord(value.format) || value.format.type === 'text'
      return [
        ...(isPlain ? [] : ['response_format', ...formatOf(value.format)]),
        ...(value.verbosity == null ? [] : ['verbosity']),
      ]
    },
  ],
])

/** Optional parameters that providers may or may not know, by the names of `supported_parameters`, and what other dialects say for them. */
const PARAMETERS = [
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'top_k',
  'top_a',
  'min_p',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'seed',
  'stop',
  'response_format',
  'reasoning',
  'reasoning_effort',
  'include_reasoning',
  'verbosity',
  'prediction',
  'modalities',
  'web_search_options',
  'stop_sequences',
  'thinking',
  'output_format',
  'output_config',
  'max_output_tokens',
  'text',
] as const

const KEYS = new JsonKeys(PARAMETERS)
