import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'

/** Fields that many schemas of the admin API have. */
export const fields = {
  id: (prefix: string) => Type.String({ description: `Begins with \`${prefix}\`.` }),
  atMs: (description = 'Unix milliseconds.') => Type.Integer({ description }),
  orNull: <Schema extends TSchema>(schema: Schema, description?: string) =>
    Type.Union([schema, Type.Null()], description === undefined ? {} : { description }),
  oneOf: (...names: string[]) => Type.Unsafe<string>({ type: 'string', enum: names }),
  /** An amount under its two names. */
  amount: (name: string, description: string): TProperties => ({
    [`${name}_usd`]: Type.String({ description: `${description} In decimal dollars.` }),
    [`${name}_nano`]: Type.Integer({ description: 'The same in nano-dollars.' }),
  }),
  /** An amount as the reports tell it. */
  dollars: (description: string) => Type.Number({ description: `${description} In dollars.` }),
  /** One page of a list. */
  page: <Schema extends TSchema>(row: Schema): TObject =>
    Type.Object({
      data: Type.Array(row),
      has_more: Type.Boolean(),
      next: Type.Union([Type.String(), Type.Null()], { description: '`after` of the next page; null at the end.' }),
    }),
} as const

/** The example of a page that is the last. */
export const pageExample = (...rows: object[]): object => ({ data: rows, has_more: false, next: null })
