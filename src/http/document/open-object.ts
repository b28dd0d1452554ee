import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'

/** An object of which these fields are named; others may be there. */
export const openObject = <Fields extends TProperties>(
  title: string,
  fields: Fields,
  description?: string,
): TObject<Fields> =>
  Type.Object(fields, { additionalProperties: true, title, ...(description === undefined ? {} : { description }) })

/** A field that may be left out. */
export const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)

/** A field that may be left out, or null. */
export const optionalOrNull = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description }))

export const PASSES_ON = 'Every other field goes on to the provider as it stands.'
