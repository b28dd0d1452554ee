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
      }),
    },
    { title: 'OpenRouterError' },
  ),
  anthropic: anthropicError({}, 'AnthropicError'),
  'openrouter-messages': anthropicError(
    { error_type: Type.String({ description: "OpenRouter's word for it." }) },
    'OpenRouterMessagesError',
  ),
}
