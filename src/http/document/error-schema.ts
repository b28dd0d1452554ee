import { Type } from '@sinclair/typebox'

const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

/** The body of every error answer in the OpenAI shape. */
export const ERROR_SCHEMA = Type.Object(
  {
    error: Type.Object({
      message: Type.String({ description: 'For people.' }),
      type: Type.String(),
      param: nullable('The field at fault.'),
      code: nullable('For programs. The list is in docs/ERRORS.md.'),
    }),
  },
  { title: 'Error' },
)
