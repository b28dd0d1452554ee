import { expect, test } from 'bun:test'
import { isTooLong } from '../../../../src/pipeline/dispatch/is-too-long.ts'

const said = (message: string, fields: { code?: string; type?: string } = {}) =>
  isTooLong({ status: 400, message, type: null, code: null, param: null, ...fields })

const TOO_LONG: readonly (readonly [name: string, message: string, fields?: Parameters<typeof said>[1]])[] = [
  ['OpenAI, Azure, Groq, Cerebras', 'words', { code: 'context_length_exceeded' }],
  ['llama.cpp', 'words', { type: 'exceed_context_size_error' }],
  ['llama.cpp', 'the request exceeds the available context size, try increasing it'],
  ['OpenAI', 'Your input exceeds the context window of this model. Please adjust your input and try again.'],
  ['OpenAI', 'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.'],
  ['DeepSeek', "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens"],
  ['vLLM', 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.'],
  ['SGLang', "The input (5000 tokens) is longer than the model's context length (4096 tokens)."],
  ['OpenRouter', "This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens"],
  ['Mistral', 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length'],
  ['xAI', "This model's maximum prompt length is 131072 but the request contains 200000 tokens."],
  ['Anthropic', 'prompt is too long: 210000 tokens > 200000 maximum'],
  ['Anthropic', 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000'],
  ['Gemini', 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
  ['Bedrock', 'Input is too long for requested model.'],
  ['Together', 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000'],
  ['Moonshot', 'Invalid request: Your request exceeded model token limit: 8192'],
]

test.each(TOO_LONG.map(([name, message, fields = {}]) => [name, message, fields] as const))(
  '%s: %s',
  (_name, message, fields) => {
    expect(said(message, fields)).toBe(true)
  },
)

test.each([
  ['max_tokens must be at least 1'],
  ["unknown role 'long'"],
  ['Rate limit reached for tokens per minute'],
  [`The word is: ${'x'.repeat(300)} maximum context length`],
])('not: %s', (message) => {
  expect(said(message)).toBe(false)
})
