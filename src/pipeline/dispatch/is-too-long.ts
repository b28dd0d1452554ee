import type { ProviderError } from '../../domain/index.ts'

/**
 * Whether an error says that the prompt, or the prompt with its answer, is more than the model's context takes. By its code where there is
 * one (OpenAI, Azure, Groq, Cerebras; llama.cpp by its type), else by the beginning of its message: further on it may quote the caller.
 */
export function isTooLong({ code, type, message }: ProviderError): boolean {
  if (code !== null && CODE.test(code)) return true
  if (type !== null && TYPE.test(type)) return true
  return MESSAGE.test(message.slice(0, MESSAGE_CHARS_MAX))
}

const MESSAGE_CHARS_MAX = 300
const CODE = /^context_(length|window)_exceeded$/i
const TYPE = /^exceed_context_size_error$/i
const MESSAGE = new RegExp(
  [
    'maximum (context|prompt|model) length', // OpenAI, DeepSeek, OpenRouter, vLLM, Mistral, xAI
    "longer than the model'?s (maximum )?(context|model) length", // SGLang, vLLM
    'exceeds? (the |your )?(model.s )?(maximum |available )?context (window|limit|length|size)', // OpenAI, Anthropic, MiniMax, llama.cpp
    '^prompt is too long', // Anthropic
    '^input is too long for requested model', // Bedrock
    'input token count.{0,20} exceeds the maximum number of tokens', // Gemini
    'exceeded model token limit', // Moonshot
    'inputs` tokens \\+ `max_new_tokens` must be', // Hugging Face TGI, Together
    'prompt exceeds max length', // Zhipu
    'range of input length should be', // Alibaba
    'too many tokens', // Cohere
    'input tokens exceed the configured limit', // OpenAI
  ].join('|'),
  'i',
)
