import {
  CAPABILITIES,
  type Capability,
  type Model,
  type Offer,
  PARAMETERS_OF,
  type Router,
} from '../../domain/index.ts'
import { priceTexts } from './price-texts.ts'

/** What a list says of all its models. */
export interface ListMarks {
  /** Unix seconds. */
  readonly createdAtS: number
  /** Whose backends they are is not told. */
  readonly hideBackends: boolean
}

/**
 * A model as OpenRouter's list shows it, with all fields that its SDK insists on (WIRE.md, 6) beside OpenAI's. Price and limits are those of the offer that
 * comes first.
 */
export function openrouterModel(model: Model, marks: ListMarks) {
  const offer = model.offers.find(({ enabled, backend }) => enabled && backend.enabled) ?? model.offers[0]
  const input = modalitiesIn(model)
  const output = modalitiesOut(offer)
  const { contextTokensMax } = model
  return {
    ...openaiModel(model, marks),
    canonical_slug: model.id,
    name: model.id,
    description: '',
    context_length: contextTokensMax,
    architecture: {
      modality: `${input.join('+')}->${output.join('+')}`,
      input_modalities: input,
      output_modalities: output,
      tokenizer: 'Other',
      instruct_type: null,
    },
    pricing: priceTexts(offer?.price ?? null),
    top_provider: {
      context_length: offer?.contextTokensMax ?? contextTokensMax,
      max_completion_tokens: offer?.outputTokensMax ?? model.outputTokensMax,
      is_moderated: false,
    },
    per_request_limits: null,
    supported_parameters: parametersOf(offer),
    default_parameters: null,
    supported_voices: null,
    links: { details: `/api/v1/models/${model.id}/endpoints` },
  }
}

/** A router model as OpenRouter's list shows it: what one or the other of its models can do. Its price is that of the model that serves. */
export function openrouterRouter(router: Router, marks: ListMarks) {
  const { id, models, freeOnly } = router
  const shown = models.map((model) => openrouterModel(model, marks))
  const input = [...new Set(shown.flatMap(({ architecture }) => architecture.input_modalities))]
  const lengths = shown.flatMap(({ context_length }) => context_length ?? [])
  const price = freeOnly ? '0' : VARIES
  return {
    ...openaiRouter(router, marks),
    canonical_slug: id,
    name: id,
    description: `Stands for ${models.length === 1 ? 'one model' : `${models.length} models`}: each request gets one that fits it.`,
    context_length: lengths.length === 0 ? null : Math.max(...lengths),
    architecture: {
      modality: `${input.join('+')}->text`,
      input_modalities: input,
      output_modalities: ['text'],
      tokenizer: 'Router',
      instruct_type: null,
    },
    pricing: { prompt: price, completion: price, request: price, image: price },
    top_provider: { context_length: null, max_completion_tokens: null, is_moderated: false },
    per_request_limits: null,
    supported_parameters: [...new Set(shown.flatMap(({ supported_parameters }) => supported_parameters))],
    default_parameters: null,
    supported_voices: null,
    links: { details: `/api/v1/models/${id}/endpoints` },
  }
}

/** OpenRouter's word for a price that depends on the model. */
const VARIES = '-1'

/** A router model as OpenAI's list shows it. */
export const openaiRouter = ({ id }: Pick<Router, 'id'>, { createdAtS }: ListMarks) => ({
  id,
  object: 'model',
  created: createdAtS,
  owned_by: GATEWAY,
})

const GATEWAY = 'anyrouter'

/** As OpenAI's list shows it; `owned_by` is the provider of its first offer, or nobody but the gateway where backends are hidden. */
export const openaiModel = ({ id, offers }: Model, { createdAtS, hideBackends }: ListMarks) => ({
  id,
  object: 'model',
  created: createdAtS,
  owned_by: (hideBackends ? null : offers[0]?.backend.provider.id) ?? GATEWAY,
})

/** As Anthropic's list shows it. */
export const anthropicModel = ({ id }: Pick<Model, 'id'>, { createdAtS }: Pick<ListMarks, 'createdAtS'>) => ({
  type: 'model',
  id,
  display_name: id,
  created_at: new Date(createdAtS * 1000).toISOString(),
})

const MEDIA: readonly (readonly [capability: Capability, modality: string])[] = [
  ['images', 'image'],
  ['audio', 'audio'],
  ['files', 'file'],
  ['video', 'video'],
]

const modalitiesIn = ({ capabilities }: Model): string[] => [
  'text',
  ...MEDIA.flatMap(([capability, modality]) => (capabilities.includes(capability) ? [modality] : [])),
]

const MADE: readonly (readonly [operation: string, modality: string])[] = [
  ['embeddings', 'embeddings'],
  ['rerank', 'rerank'],
  ['images.generations', 'image'],
  ['audio.speech', 'speech'],
  ['audio.transcriptions', 'transcription'],
]

/** Text, unless its operator says that it is asked for something else. */
function modalitiesOut(offer: Offer | undefined): string[] {
  const operations: readonly string[] = offer?.operations ?? []
  const made = MADE.flatMap(([operation, modality]) => (operations.includes(operation) ? [modality] : []))
  const isOther = made.length > 0 && !operations.includes('chat.completions')
  return isOther ? made : ['text', ...made]
}

const COMMON_PARAMETERS = ['max_tokens', 'temperature', 'top_p', 'stop']

/** What its operator says; else what nearly every model takes, and what its capabilities need: all of these, where none is named. */
export function parametersOf(offer: Offer | undefined): readonly string[] {
  if (offer?.parameters !== undefined) return offer.parameters
  if (!modalitiesOut(offer).includes('text')) return []
  const { capabilities } = offer ?? {}
  const named = CAPABILITIES.filter((name) => capabilities === undefined || capabilities.includes(name))
  const more = named.flatMap((name) => PARAMETERS_OF[name] ?? [])
  return [...COMMON_PARAMETERS, ...more]
}
