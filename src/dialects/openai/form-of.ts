import type { OperationName } from '../../domain/index.ts'
import { assert, JsonKeys } from '../../lib/index.ts'
import type { RequestFacts } from '../dialect.ts'
import { type OperationForm, type RequestSeen, requestForm } from './operation-form.ts'
import { picturesAsked } from './pictures-asked.ts'
import { uploadForms } from './upload-forms.ts'

/** How this format says an operation. It must be one of `OPERATIONS`. */
export function formOf(operation: OperationName): OperationForm {
  const form = FORMS.get(operation)
  assert(form !== undefined, () => `${operation} is never sent to a provider`)
  return form
}

/** Nothing in an answer is billed by its length. */
const NO_OUTPUT = { outputLimit: 0 } as const

const chatCompletions: OperationForm = {
  path: '/chat/completions',
  answer: 'messages',
  request: requestForm({
    fields: {
      model: 'model',
      messages: 'messages',
      stream: 'stream',
      stream_options: 'stream_options',
      max_completion_tokens: 'limit',
      max_tokens: 'limit',
      n: 'choices',
      best_of: 'choices',
      tools: 'definition',
      functions: 'definition',
      response_format: 'definition',
      prediction: 'text',
      documents: 'text',
      chat_template_kwargs: 'text',
      prompt_cache_key: 'cache_key',
      service_tier: 'word',
    },
    required: ['model', 'messages'],
    asksUsage: true,
    facts: dearerOf,
  }),
}

/** OpenAI bills these tiers at a multiple of the usual price (platform.openai.com/docs/guides/priority-processing); `fast` is another name for one. */
function dearerOf({ words }: Pick<RequestSeen, 'words'>): Pick<RequestFacts, 'dearer'> {
  const tier = words.get('service_tier')
  return tier === 'priority' || tier === 'fast' ? { dearer: 'service_tier' } : {}
}

const completions: OperationForm = {
  path: '/completions',
  answer: 'texts',
  request: requestForm({
    fields: {
      model: 'model',
      prompt: 'input',
      suffix: 'text',
      stream: 'stream',
      stream_options: 'stream_options',
      max_tokens: 'limit',
      n: 'choices',
      best_of: 'choices',
    },
    asksUsage: true,
    facts: ({ choices, inputs }) => ({ choices: Math.min(choices * inputs, Number.MAX_SAFE_INTEGER) }), // each prompt is answered
  }),
}

const embeddings: OperationForm = {
  path: '/embeddings',
  answer: { lists: ['data'], rows: 'vectors', isPromptOnly: true },
  request: requestForm({
    fields: { model: 'model', input: 'input', encoding_format: 'word' },
    required: ['model', 'input'],
    facts: (seen) => ({ ...NO_OUTPUT, ...vectorsOf(seen) }),
  }),
}

/** OpenAI's default is `float`; a form that is neither is another provider's own, and stays as it is. */
function vectorsOf({ words }: RequestSeen): Pick<RequestFacts, 'vectors'> {
  const asked = words.get('encoding_format') ?? 'float'
  return asked === 'float' || asked === 'base64' ? { vectors: asked } : {}
}

const moderations: OperationForm = {
  path: '/moderations',
  answer: { lists: ['results'], isPromptOnly: true },
  request: requestForm({
    fields: { model: 'model', input: 'input' },
    required: ['input'],
    defaultModel: 'omni-moderation-latest',
    facts: () => ({ ...NO_OUTPUT, pricedBy: ['perRequest'] }),
  }),
}

const rerank: OperationForm = {
  path: '/rerank',
  answer: { lists: ['results', 'data'], isPromptOnly: true },
  request: requestForm({
    fields: { model: 'model', query: 'input', documents: 'input' },
    required: ['model', 'query', 'documents'],
    facts: ({ inputs }) => ({ ...NO_OUTPUT, asked: { searches: searchesOf(inputs - 1) } }), // the query is an input too
  }),
}

/** A search unit is one query with up to 100 documents (docs.cohere.com, pricing). */
const searchesOf = (documents: number): number => Math.max(1, Math.ceil(documents / DOCUMENTS_OF_A_SEARCH))
const DOCUMENTS_OF_A_SEARCH = 100

const imagesGenerations: OperationForm = {
  path: '/images/generations',
  answer: { lists: ['data'], rows: 'pictures', isPromptOnly: false },
  events: {
    content: new JsonKeys(['image_generation.partial_image', 'image_generation.completed']),
    ends: new JsonKeys(['image_generation.completed']),
    arePictures: true,
  },
  request: requestForm({
    fields: {
      model: 'model',
      prompt: 'input',
      n: 'choices',
      stream: 'stream',
      quality: 'word',
      partial_images: 'word',
    },
    required: ['model', 'prompt'],
    facts: picturesAsked,
  }),
}

const audioSpeech: OperationForm = {
  path: '/audio/speech',
  answer: 'bytes',
  events: {
    content: new JsonKeys(['speech.audio.delta', 'speech.audio.done']),
    ends: new JsonKeys(['speech.audio.done']),
  },
  request: requestForm({
    fields: { model: 'model', input: 'input', instructions: 'text', stream_format: 'word' },
    required: ['model', 'input'],
    countsCharacters: true,
    facts({ characters, words }) {
      const asked = { characters }
      if (words.get('stream_format') === 'sse')
        return { outputLimit: characters * SPEECH_TOKENS_PER_CHARACTER, asked, stream: true }
      return { ...NO_OUTPUT, asked, isBinary: true, pricedBy: ['perRequest', 'perMillionCharacters'] }
    },
  }),
}

/** A minute has some 900 characters and 1,250 tokens of sound; slow speech has more of these. */
const SPEECH_TOKENS_PER_CHARACTER = 3

const PROMPT_OF_RESPONSE = {
  model: 'model',
  input: 'items',
  instructions: 'text',
  tools: 'naming',
  prompt: 'naming',
  text: 'definition',
  previous_response_id: 'response',
  conversation: 'foreign',
} as const

const responses: OperationForm = {
  path: '/responses',
  answer: 'response',
  request: requestForm({
    fields: {
      ...PROMPT_OF_RESPONSE,
      stream: 'stream',
      max_output_tokens: 'limit',
      prompt_cache_key: 'cache_key',
      store: 'word',
      background: 'word',
      service_tier: 'word',
    },
    limitField: 'max_output_tokens',
    facts: ({ words }) => ({
      ...dearerOf({ words }),
      ...(words.get('store') === false ? {} : { isKept: true }),
      ...(words.get('background') === true ? { pricedBy: ['perRequest'] } : {}), // its answer comes before it has used anything
    }),
  }),
}

/** How long the prompt of a response would be. */
const responsesInputTokens: OperationForm = {
  path: '/responses/input_tokens',
  answer: 'token_count',
  request: requestForm({
    fields: PROMPT_OF_RESPONSE,
    facts: () => ({ ...NO_OUTPUT, promptTextBytes: 0, promptMediaUnits: 0, isFree: true }),
  }),
}

/** Kept, not worked on: it belongs to no model. */
const files: OperationForm = {
  path: '/files',
  isForm: true,
  answer: { lists: [], isPromptOnly: true },
  request: requestForm({ fields: { file: 'file', purpose: 'word' }, required: ['file', 'purpose'], defaultModel: '' }),
}

const FORMS: ReadonlyMap<OperationName, OperationForm> = new Map([
  ['chat.completions', chatCompletions],
  ['completions', completions],
  ['embeddings', embeddings],
  ['moderations', moderations],
  ['rerank', rerank],
  ['images.generations', imagesGenerations],
  ['audio.speech', audioSpeech],
  ['responses', responses],
  ['responses.input_tokens', responsesInputTokens],
  ...uploadForms,
  ['files', files],
])

/** All that this format says. */
export const OPERATIONS: ReadonlySet<OperationName> = new Set(FORMS.keys())

/** What of it is asked in forms. */
export const FORM_OPERATIONS: ReadonlySet<OperationName> = new Set(
  [...FORMS].filter(([, { isForm }]) => isForm).map(([operation]) => operation),
)
