import { JsonKeys, JsonReader } from '../lib/index.ts'

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
    if (name !== undefined && kind !== 'null') used.add(name)
    if (name === 'response_format' && kind === 'object' && isSchema(reader.value())) used.add('structured_outputs')
  }
  return [...used]
}

const isSchema = (format: unknown): boolean =>
  typeof format === 'object' && format !== null && 'type' in format && format.type === 'json_schema'

/** Optional parameters that providers may or may not know, by the names of `supported_parameters`. */
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
] as const

const KEYS = new JsonKeys(PARAMETERS)
