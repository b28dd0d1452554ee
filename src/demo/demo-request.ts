import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

const orNull = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))
const content = Type.Union([
  Type.String(),
  Type.Array(Type.Object({ text: Type.Optional(Type.String()) })),
  Type.Null(),
])

/** Fields that are not named pass. At the top null is an absent field. */
const demoRequest = Type.Object({
  model: Type.String(),
  messages: Type.Array(Type.Object({ role: Type.String(), content: Type.Optional(content) }), { minItems: 1 }),
  stream: Type.Optional(Type.Boolean()),
  stream_options: Type.Optional(Type.Object({ include_usage: orNull(Type.Boolean()) })),
  max_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  max_completion_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: 8 })),
  tools: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.String(),
        function: Type.Optional(
          Type.Object({ name: Type.String(), parameters: orNull(Type.Record(Type.String(), Type.Unknown())) }),
        ),
      }),
    ),
  ),
  tool_choice: Type.Optional(Type.Union([Type.String(), Type.Object({})])),
})

/** What a simulated provider reads of a chat request. */
export type DemoRequest = Static<typeof demoRequest>

/** Reads a body; on trouble says which field is at fault (null: the body as a whole). */
export function readDemoRequest(body: string): { request: DemoRequest } | { param: string | null; message: string } {
  let given: unknown
  try {
    given = JSON.parse(body)
  } catch {
    return { param: null, message: 'We could not parse the JSON body of your request.' }
  }
  const value = withoutNulls(given)
  if (Value.Check(demoRequest, value)) return { request: value }
  const fault = Value.Errors(demoRequest, value).First()
  const param = fault?.path.slice(1).replaceAll('/', '.') ?? ''
  const message = fault?.message ?? 'not understood'
  return param === '' ? { param: null, message: `${message}.` } : { param, message: `Invalid '${param}': ${message}.` }
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null))
}
