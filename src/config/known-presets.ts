import type { DialectName } from '../domain/index.ts'

/** A provider that is known by heart: its key in the environment is all that is needed. */
export interface Preset {
  /** Of the provider, of its backend, and in the price data. */
  readonly id: string
  readonly name: string
  readonly variable: string
  readonly url: string
  /** What is spoken at that URL; OpenAI's when absent. */
  readonly dialects?: readonly DialectName[]
  /** A small model of it, to try. */
  readonly sample: string
  readonly ownership: string
}

/** Each address is from the provider's documentation: that of its OpenAI-compatible API where it has one. */
export const KNOWN_PRESETS: readonly Preset[] = [
  {
    id: 'openai',
    name: 'OpenAI',
    variable: 'OPENAI_API_KEY',
    url: 'https://api.openai.com/v1',
    sample: 'gpt-4o-mini',
    ownership: 'us',
  },
  {
    id: 'openrouter',
    name: 'OpenRouter',
    variable: 'OPENROUTER_API_KEY',
    url: 'https://openrouter.ai/api/v1',
    dialects: ['openai', 'anthropic'],
    sample: 'openai/gpt-4o-mini',
    ownership: 'us',
  },
  {
    id: 'groq',
    name: 'Groq',
    variable: 'GROQ_API_KEY',
    url: 'https://api.groq.com/openai/v1',
    sample: 'llama-3.1-8b-instant',
    ownership: 'us',
  },
  {
    id: 'mistral',
    name: 'Mistral',
    variable: 'MISTRAL_API_KEY',
    url: 'https://api.mistral.ai/v1',
    sample: 'mistral-small-latest',
    ownership: 'fr',
  },
  {
    id: 'deepseek',
    name: 'DeepSeek',
    variable: 'DEEPSEEK_API_KEY',
    url: 'https://api.deepseek.com/v1',
    sample: 'deepseek-v4-flash',
    ownership: 'cn',
  },
  {
    id: 'google',
    name: 'Gemini',
    variable: 'GEMINI_API_KEY',
    url: 'https://generativelanguage.googleapis.com/v1beta/openai',
    sample: 'gemini-2.5-flash-lite',
    ownership: 'us',
  },
  {
    id: 'together',
    name: 'Together',
    variable: 'TOGETHER_API_KEY',
    url: 'https://api.together.xyz/v1',
    sample: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
    ownership: 'us',
  },
  {
    id: 'fireworks',
    name: 'Fireworks',
    variable: 'FIREWORKS_API_KEY',
    url: 'https://api.fireworks.ai/inference/v1',
    sample: 'gpt-oss-20b',
    ownership: 'us',
  },
  {
    id: 'x-ai',
    name: 'xAI',
    variable: 'XAI_API_KEY',
    url: 'https://api.x.ai/v1',
    sample: 'grok-4.3',
    ownership: 'us',
  },
  {
    id: 'anthropic',
    name: 'Anthropic',
    variable: 'ANTHROPIC_API_KEY',
    url: 'https://api.anthropic.com/v1',
    dialects: ['anthropic'],
    sample: 'claude-haiku-4-5',
    ownership: 'us',
  },
]
