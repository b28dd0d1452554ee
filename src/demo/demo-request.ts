import { z } from 'zod'

const content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() })), z.null()])

const requestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: content.optional() })).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  n: z.int().min(1).max(8).nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.string(),
        function: z.looseObject({ name: z.string(), parameters: z.looseObject({}).nullish() }).optional(),
      }),
    )
    .nullish(),
  tool_choice: z.union([z.string(), z.looseObject({})]).nullish(),
})

/** What a simulated provider reads of a chat request. */
export type DemoRequest = z.output<typeof requestSchema>

/** Reads a body; on trouble says which field is at fault (null: the body as a whole). */
export function readDemoRequest(body: string): { request: DemoRequest } | { param: string | null; message: string } {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return { param: null, message: 'We could not parse the JSON body of your request.' }
  }
  const checked = requestSchema.safeParse(value)
  if (checked.success) return { request: checked.data }
  const [issue] = checked.error.issues
  const param = issue?.path.join('.') ?? ''
  return {
    param: param === '' ? null : param,
    message: `Invalid value for '${param}': ${issue?.message ?? 'not understood'}.`,
  }
}
