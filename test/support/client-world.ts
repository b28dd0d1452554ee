import { startGateway, type TestGateway, unknownKey } from './gateway.ts'
import { json, type Part, type Script, status } from './script.ts'
import { scriptedProvider } from './scripted-provider.ts'
import { completion, done, finish, role, sse, text, toolCall, usage } from './sse.ts'
import { keyWith } from './wire-chat.ts'
import { type GatewayWorld, operationWorld } from './wire-operations.ts'

/** What a suite asks with, whatever the client calls it. */
export interface Ask {
  readonly model: string
  readonly maxTokens: number
  readonly key: string
  readonly isEmpty: boolean
}

/** A way in which a request is refused: what its caller does, what the provider says, the status that its client sees. */
interface Refusal {
  readonly name: string
  readonly ask: Partial<Ask> | 'other model only'
  /** Null: the gateway refuses by itself. */
  readonly provider: Script | null
  readonly status: number
}

const said = (message: string) => ({
  error: { message, type: 'invalid_request_error', param: 'temperature', code: 'x' },
})

/** Every class of error. What a provider says of the gateway's own credential or bill is no fault of the caller. */
const REFUSALS: readonly Refusal[] = [
  { name: 'empty', ask: { isEmpty: true }, provider: null, status: 400 },
  { name: 'key', ask: { key: unknownKey() }, provider: null, status: 401 },
  { name: 'credit', ask: { maxTokens: 4000 }, provider: null, status: 402 },
  { name: 'permission', ask: 'other model only', provider: null, status: 403 },
  { name: 'model', ask: { model: 'm2' }, provider: null, status: 404 },
  { name: 'provider 400', ask: {}, provider: json(400, said('too hot')), status: 400 },
  { name: 'provider 401', ask: {}, provider: json(401, said('bad key')), status: 502 },
  { name: 'provider 402', ask: {}, provider: json(402, said('no credit')), status: 502 },
  { name: 'provider 403', ask: {}, provider: json(403, said('not you')), status: 502 },
  { name: 'provider 413', ask: {}, provider: json(413, said('too large')), status: 413 },
  { name: 'provider 422', ask: {}, provider: json(422, said('cannot be')), status: 422 },
  { name: 'provider 429', ask: {}, provider: status(429, said('slow'), { 'retry-after': '7' }), status: 429 },
  { name: 'provider 500', ask: {}, provider: json(500, said('oh')), status: 502 },
  { name: 'provider 502', ask: {}, provider: status(502, '<html>Bad Gateway</html>'), status: 502 },
  { name: 'provider 503', ask: {}, provider: json(503, said('busy')), status: 502 },
]

/** A gateway with the model `m1`, whose provider plays these scripts, for the suites of all clients. */
export const clientWorld = (...parts: readonly Part[]): Promise<GatewayWorld> => operationWorld({}, ...parts)

/**
 * Has a client refused in every way, each time by a provider of its own, so that none is spared for what another said.
 * `without`: names of refusals that the client cannot meet. Answers, by the name of each, the status that is wanted and the one that `statusOf` finds in what was thrown.
 */
export async function refuseEach(
  ask: (gateway: TestGateway, asked: Ask) => PromiseLike<unknown>,
  statusOf: (thrown: unknown, name: string) => unknown,
  { without = [] }: { readonly without?: readonly string[] } = {},
): Promise<{ readonly wanted: Readonly<Record<string, number>>; readonly found: Readonly<Record<string, unknown>> }> {
  const refusals = REFUSALS.filter(({ name }) => !without.includes(name))
  await using provider = await scriptedProvider()
  const offers = Object.fromEntries(
    ['m1', ...refusals.map(({ name }) => modelOf(name))].map((model) => [
      model,
      [{ provider, of: { id: `of-${model}` } }],
    ]),
  )
  await using gateway = await startGateway({ offers, balanceUsd: '0.02' })
  const limited = await keyWith(gateway, { models: ['m1'] })
  const found: Record<string, unknown> = {}
  for (const { name, ask: how, provider: script } of refusals) {
    if (script !== null) provider.script(script)
    const asked =
      how === 'other model only' ? { key: limited.headers.authorization?.slice('Bearer '.length) ?? '' } : how
    const plain: Ask = { model: modelOf(name), maxTokens: 4, key: gateway.key, isEmpty: false }
    const seen = provider.requests.length
    found[name] = await ask(gateway, { ...plain, ...asked }).then(
      () => 'it should have failed',
      (thrown: unknown) => statusOf(thrown, name),
    )
    const sent = provider.requests.length - seen
    if (sent !== (script === null ? 0 : 1)) found[name] = `${found[name]}, after ${sent} requests`
  }
  return { wanted: Object.fromEntries(refusals.map((refusal) => [refusal.name, refusal.status])), found }
}

const modelOf = (name: string): string => `refused-${name.replace(' ', '-')}`

// ---- what the provider says

/** `Hello` as a stream, of 9 tokens and 3. */
export const helloStream = (): Script => sse(role(), text('Hel'), text('lo'), finish(), usage(9, 3), done())

const CALL = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }

/** A call of the tool `weather`, plain. */
export const toolAnswer = (): Script =>
  completion('', 20, 8, {
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, tool_calls: [CALL] },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ],
  })

/** The same call as a stream, its arguments in two pieces. */
export const toolStream = (): Script =>
  sse(
    role(),
    toolCall({ id: CALL.id, name: CALL.function.name, arguments: '{"city":' }),
    toolCall({ arguments: '"Oslo"}' }),
    finish('tool_calls'),
    usage(20, 8),
    done(),
  )

/** Two embeddings, in the wrong order, as numbers or as OpenAI's base64 of them. */
export function embeddingsAnswer(format: 'float' | 'base64'): Script {
  const row = (index: number, numbers: readonly number[]) => ({
    object: 'embedding',
    index,
    embedding: format === 'float' ? numbers : Buffer.from(new Float32Array(numbers).buffer).toString('base64'),
  })
  return json({
    object: 'list',
    data: [row(1, [0.5, -2]), row(0, [1, 2])],
    model: 'x',
    usage: { prompt_tokens: 4, total_tokens: 4 },
  })
}
