import { expect } from 'bun:test'
import { type Dice, diceOf } from './abort-plan.ts'
import { bearer, startGateway, type TestGateway } from './gateway.ts'
import { withPatience } from './milestones.ts'
import { mutate, mutateValues } from './mutate.ts'
import { mutationProvider } from './mutation-provider.ts'
import { MODEL_MARK, REQUEST_SEEDS } from './mutation-seeds.ts'
import type { AnswerHead } from './raw-answer.ts'
import { rawRequest } from './raw-client.ts'

export interface MutationFuzz {
  readonly requests: number
  /** Everything that is thrown follows from it. */
  readonly seed: number
}

const AT_ONCE = 16
const HANG_MS = 45_000 // far beyond what a busy machine takes
const REQUESTS_PER_MODEL = 50 // a provider that denies a credential, or asks to wait, is not asked again: then comes the next model's
const PRICE = { input: '4', output: '10', per_request: '0.001', per_million_characters: '15' }

/**
 * Requests with faults in them, answered by a provider with faults: whatever comes, each has a well-formed answer in its caller's dialect,
 * nobody hangs, nothing is thrown that nobody catches, and at rest the ledger is clean. Answers how many reached the provider.
 */
export async function fuzzMutations({ requests, seed }: MutationFuzz): Promise<number> {
  const dice = diceOf(seed)
  await using provider = mutationProvider(diceOf(seed + 1))
  const backend = { dialects: ['openai', 'anthropic'] }
  const models = Array.from({ length: Math.ceil(requests / REQUESTS_PER_MODEL) }, (_, number) => modelOf(number))
  await using gateway = await startGateway({
    offers: Object.fromEntries(models.map((id) => [id, [{ provider, price: PRICE, backend, of: { id: `of-${id}` } }]])),
    balanceUsd: '1000000.00',
    // What is out is not fuzzed; whether it would be is not asked here.
    yaml: { quarantine: { failures: 10_000, window_min: 1_000_000, rate: 1, probe: false } },
  })
  try {
    const queue = Array.from({ length: requests }, (_, number) => number).values()
    const worker = async () => {
      for (const number of queue) {
        const model = modelOf(Math.floor(number / REQUESTS_PER_MODEL))
        await playOne(gateway, plan(dice, model), `${number} of seed ${seed}`)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  } catch (error) {
    gateway.expectBroken() // this failure is to be told, not what it leaves
    throw error
  }
  await gateway.stop() // checks the ledger and the slots
  const bugs = gateway
    .logs()
    .split('\n')
    .filter((line) => /"level":"(error|fatal)"|internal_error/.test(line))
  expect(bugs.slice(0, 3)).toEqual([])
  return provider.asked
}

interface Plan {
  readonly surface: 'openai' | 'openrouter' | 'anthropic'
  readonly path: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
  readonly chunkBytes: number | null
}

const QUERIES = ['?', '?beta=true', '?model=m1', '?%', `?${'a'.repeat(3000)}`, '?a=%00&b[]=1']
const ODD_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['content-type', 'text/plain'],
  ['content-type', 'application/json; charset="utf-16"'],
  ['content-type', 'multipart/form-data'],
  ['content-type', 'multipart/form-data; boundary=x'],
  ['content-encoding', 'gzip'],
  ['accept', 'nothing/here'],
  ['x-session-id', '\u00e9'.repeat(400)],
  ['x-anyrouter-explain', '{'],
  ['x-openrouter-metadata', 'enabled'],
  ['anthropic-version', '\u0001'.replace('\u0001', 'x').repeat(600)],
  ['anthropic-beta', ',,,'],
  ['traceparent', '00-zz'],
  ['idempotency-key', ''],
  ['range', 'bytes=0-1'],
  ['expect', 'nothing'],
]

const modelOf = (number: number): string => `m${String(number).padStart(MODEL_MARK.length - 1, '0')}`

function plan(dice: Dice, model: string): Plan {
  const seed = REQUEST_SEEDS[dice(REQUEST_SEEDS.length)]
  if (seed === undefined) throw new Error('there are no fixtures')
  const prefix = dice(2) === 0 ? '/v1' : '/api/v1'
  const odd = ODD_HEADERS[dice(ODD_HEADERS.length * 6)]
  return {
    surface: seed.dialect === 'anthropic' ? 'anthropic' : prefix === '/v1' ? 'openai' : 'openrouter',
    path: `${prefix}${seed.path}${QUERIES[dice(QUERIES.length * 10)] ?? ''}`,
    body: bodyOf(dice, Buffer.from(seed.body.toString('latin1').replace(MODEL_MARK, model), 'latin1')),
    headers: odd === undefined ? {} : { [odd[0]]: odd[1] },
    chunkBytes: dice(10) === 0 ? 1 + dice(200) : null,
  }
}

/** Half of them sound: then the provider's faults are met. */
function bodyOf(dice: Dice, sound: Buffer): Buffer {
  const fate = dice(8)
  if (fate < 4) return sound
  return fate < 7 ? mutateValues(dice, sound) : mutate(dice, sound)
}

async function playOne(gateway: TestGateway, { surface, path, body, headers, chunkBytes }: Plan, name: string) {
  const answer = rawRequest(gateway.origin, {
    path,
    headers: { 'content-type': 'application/json', ...bearer(gateway), ...headers },
    body,
    ...(chunkBytes === null ? {} : { chunkBytes }),
  })
  try {
    const ending = await withPatience(answer.ended(), () => 'the answer did not end', HANG_MS)
    const head = await answer.head()
    const fault = faultOf(surface, head, ending, answer.textSoFar)
    if (fault !== null) throw new Error(`${fault}: ${head.status} ${answer.textSoFar.slice(0, 2000)}`)
  } catch (error) {
    throw new Error(`request ${name}: ${path} ${JSON.stringify(headers)} ${body.toString('latin1').slice(0, 2000)}`, {
      cause: error,
    })
  }
}

/** What is wrong with an answer, or null. */
function faultOf(surface: Plan['surface'], head: AnswerHead, ending: string, text: string): string | null {
  const type = head.header('content-type') ?? ''
  if (head.status >= 400) return ending === 'complete' ? errorFault(surface, head.status, text) : 'an error that is cut'
  if (head.status !== 200) return 'an odd status'
  if (type.startsWith('application/json')) {
    return ending === 'complete' && jsonOf(text) !== undefined ? null : 'an answer that is no JSON'
  }
  if (!type.startsWith('text/event-stream')) return null // bytes of a medium have no place for an error: they are cut
  return ending === 'complete' ? streamFault(text) : 'a stream that is cut'
}

function errorFault(surface: Plan['surface'], status: number, text: string): string | null {
  const { error, type } = Object(jsonOf(text))
  if (typeof error?.message !== 'string' || error.message === '') return 'an error without a message'
  if (surface === 'anthropic')
    return type === 'error' && typeof error.type === 'string' ? null : 'no error of Anthropic'
  if (surface === 'openrouter') return error.code === status ? null : 'no error of OpenRouter'
  const isNullOrText = (value: unknown): boolean => value === null || typeof value === 'string'
  const isOurs = typeof error.type === 'string' && isNullOrText(error.code) && isNullOrText(error.param)
  return isOurs ? null : 'no error of OpenAI'
}

/** Types of the events that streams without `[DONE]` end with. */
const LAST = /^(message_stop|error|response\.(completed|incomplete|failed)|\w+\.completed|[\w.]+\.done)$/

function streamFault(text: string): string | null {
  let isDone = false
  let isOver = false // it says so somewhere: else it just ends, and its reader takes a part for the whole
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (!line.startsWith('data:')) continue
    if (isDone) return 'an event after the last'
    const data = line.slice('data:'.length).trim()
    const event = jsonOf(data)
    if (data === '[DONE]') isDone = true
    else if (event === undefined) return 'an event that is no JSON'
    const { type, error = null } = Object(event)
    isOver ||= isDone || error !== null || LAST.test(String(type))
  }
  if (!isOver) return 'a stream that just ends'
  return /[\r\n]{2}$/.test(text) ? null : 'an event without an end'
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
