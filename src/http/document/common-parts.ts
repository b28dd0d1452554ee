const introduction = `An LLM gateway: it takes an OpenAI-style request, decides which backend serves it, relays the answer byte by \
byte, and bills it exactly once.

**Try it here:** *Authorize* with a key (the demo prints one at its start, \`anyrouter keys create\` makes one), open an operation, *Execute*. \
Any OpenAI SDK works with the base URL \`/v1\` of this server and that key.

Every answer has \`x-request-id\`. Errors have a code for programs, in the form of their client: OpenAI's, under \`/api/v1\` OpenRouter's, \
at \`/messages\` Anthropic's; \`docs/ERRORS.md\` lists them.`

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sk-ar-v1-…',
    description: 'The key of an account. `x-api-key` takes it too.',
  },
  managementKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'ak_…',
    description:
      'A management key with the scope that the operation names. On `admin.sock` none is needed: who may open the file may do all.',
  },
} as const

const header = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })

const headers = {
  RequestId: header('Finds the request in the log and in the records.', 'req_0199a0b1c2d3e4f5061728394a5b6c7d'),
  ServerTiming: header(
    'Where the time went, in milliseconds: `gw` (the gateway, of which the `gw-*` are the stages) + `upstream` (the provider) + `post` = `total`, to the last digit.',
    'gw;dur=0.25, upstream;dur=21.37, post;dur=0.12, total;dur=21.74',
  ),
  RetryAfter: header('In how many seconds to try again, where that is known.', '2'),
  ETag: header('The version of what is shown, for `If-Match`.', '"3"'),
} as const

const parameter = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
})

const parameters = {
  IdempotencyKey: parameter(
    'Idempotency-Key',
    'The same request again with the same key, within 24 hours, changes nothing and gets the first answer.',
  ),
  IfMatch: parameter(
    'If-Match',
    'The `ETag` of the version that is meant to be changed; 412 when there is a newer one.',
  ),
  Pin: parameter('x-anyrouter-provider', 'The one provider or backend that may serve it. Nobody takes its place.'),
  MaxAttempts: parameter(
    'x-max-attempts',
    'How many requests may be sent to providers for this one, within what the gateway allows.',
  ),
  Session: parameter('x-session-id', 'As `session_id` in the body.'),
  Explain: parameter('x-anyrouter-explain', '`1`: the answer tells, in its header of this name, how it was routed.'),
  Metadata: parameter(
    'x-openrouter-metadata',
    '`enabled`: the answer, the last event of a stream or the error has `openrouter_metadata`: how it was routed.',
  ),
} as const

/** What all operations share: the text above them, how callers show who they are, headers. */
export const COMMON_PARTS = { introduction, components: { securitySchemes, headers, parameters } } as const
