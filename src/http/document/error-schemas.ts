import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import type { SurfaceName } from '../../dialects/index.ts'

const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const CODES = 'For programs. The list is in docs/ERRORS.md.'

const anthropicError = (more: TProperties, title: string): TSchema =>
  Type.Object(
    {
      type: Type.Literal('error'),
      error: Type.Object(
        {
          type: Type.String({ description: "Anthropic's word for the status." }),
          message: Type.String({ description: 'For people.' }),
          ...more,
          code: Type.Optional(Type.String({ description: CODES })),
          param: Type.Optional(Type.String({ description: 'The field at fault.' })),
        },
        { additionalProperties: true, description: 'Some have further fields.' },
      ),
      request_id: Type.String({ description: 'Finds the request in the log and in the records.' }),
    },
    { title },
  )

const names = (description: string) => Type.Array(Type.String(), { description })
const availability = Type.Object(
  {
    code: Type.String({ description: "OpenRouter's word for why." }),
    retryable: Type.Boolean({ description: 'Waiting helps.' }),
    retry_after: Type.Union([Type.Integer(), Type.Null()], { description: 'Seconds.' }),
    requested_models: names('As the request named them.'),
    affected_providers: names('Backends that were passed over or failed; none where they are hidden.'),
    excluded_by: names('Which wishes or policies excluded somebody, e.g. `max_price`, `data_policy:zdr`.'),
    fallback_models: names('`models` of the request.'),
    constraint: Type.Union([Type.Object({ field: Type.String(), detail: Type.String() }), Type.Null()]),
    docs_url: Type.Union([Type.String(), Type.Null()], { description: 'Where what may be asked is described.' }),
  },
  { title: 'Availability', description: 'Where a model cannot be had.' },
)

/** The body of every error answer, by the surface whose form it has. */
export const ERROR_SCHEMAS: Readonly<Record<SurfaceName, TSchema>> = {
  openai: Type.Object(
    {
      error: Type.Object(
        {
          message: Type.String({ description: 'For people.' }),
          type: Type.String(),
          param: nullable('The field at fault.'),
          code: nullable(CODES),
        },
        { additionalProperties: true, description: 'Some have further fields, such as `problems`.' },
      ),
    },
    { title: 'Error' },
  ),
  openrouter: Type.Object(
    {
      error: Type.Object({
        code: Type.Integer({ description: 'The HTTP status.' }),
        message: Type.String({ description: 'For people.' }),
        metadata: Type.Object(
          {
            error_type: Type.String(),
            code: Type.Optional(Type.String({ description: CODES })),
            param: Type.Optional(Type.String({ description: 'The field at fault.' })),
          },
          { additionalProperties: true },
        ),
        availability: Type.Optional(availability),
      }),
      openrouter_metadata: Type.Optional(
        Type.Object({}, { additionalProperties: true, description: 'For who sent `x-openrouter-metadata: enabled`.' }),
      ),
    },
    { title: 'OpenRouterError' },
  ),
  anthropic: anthropicError({}, 'AnthropicError'),
  'openrouter-messages': anthropicError(
    { error_type: Type.String({ description: "OpenRouter's word for it." }) },
    'OpenRouterMessagesError',
  ),
}
