import { type TSchema, Type } from '@sinclair/typebox'
import type { SurfaceName } from '../../dialects/index.ts'

const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const CODES = 'For programs. The list is in docs/ERRORS.md.'

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
}
