import type { ReplyHead } from '../agents/index.ts'
import { dialectOf, renamedModel } from '../dialects/index.ts'
import { type AccountContext, GatewayError, type StoredKind, type StoredThing } from '../domain/index.ts'
import { errorText } from '../lib/index.ts'
import { admitRequest } from './admit.ts'
import { asGatewayError, plainAnswer } from './answer.ts'
import { askKeeper, type KeeperAnswer, type KeeperQuestion } from './ask-keeper.ts'
import { type Arrival, type Call, note } from './call.ts'
import { conclude } from './conclude.ts'
import { classify, classifyWithin } from './dispatch/classify.ts'
import { finalError } from './dispatch/final-error.ts'
import { enter } from './enter.ts'
import type { House } from './house.ts'
import { keeperOf } from './keeper-of.ts'
import { refused } from './refused.ts'
import { relayKept } from './relay-kept.ts'
import { keepTold, objectIn, toldAgain } from './told-thing.ts'
import { beginWork, type Work } from './work.ts'

/** An operation on something that a provider keeps: who made it asks the backend that keeps it. Nothing of it is billed. */
export interface KeptOperation {
  readonly kind: StoredKind
  readonly id: string
  readonly method: KeeperQuestion['method']
  /** Path below the backend's base URL, and query. */
  readonly target: string
  /** A whole document; events, or bytes of a file, as they come. */
  readonly answer: 'document' | 'events' | 'bytes'
  /** What its answer changes of what is known: it is there no more; or this is what the provider says of it now. */
  readonly effect?: 'forget' | 'told'
}

/** Asks, for one caller. 404 for whatever the account did not make. */
export async function runKept(house: House, arrival: Arrival, operation: KeptOperation): Promise<Response> {
  const work = beginWork(house, arrival)
  try {
    return await serve(work, arrival, operation)
  } catch (thrown) {
    return refused(work, asGatewayError(thrown), null)
  }
}

async function serve(work: Work, arrival: Arrival, operation: KeptOperation): Promise<Response> {
  const { house, call } = work
  const { context } = await enter(work, arrival)
  admitRequest(house, call, context.key)
  call.clock.enter('prep')
  const thing = await house.stored.find(context.account.id, operation.id)
  if (thing === null || thing.kind !== operation.kind) throw notStored(operation)
  note(call, { modelAsked: thing.model, model: thing.model, stream: operation.answer !== 'document' })
  call.clock.enter('wait')
  const answer = await askKept(house, call, context, thing, operation)
  call.clock.post()
  if (answer.kind === 'live') return relayKept(work, answer, thing, operation.answer === 'bytes')
  const body = operation.answer === 'bytes' ? answer.body : shown(answer.body, thing)
  if (operation.effect !== undefined) await takeEffect(work, thing, operation.effect, body)
  return ended(work, body, contentTypeOf(answer.head))
}

/** Asks who keeps a thing. Throws what is no answer. */
export async function askKept(
  house: House,
  call: Call,
  context: AccountContext,
  thing: StoredThing,
  { method, target, answer }: Pick<KeptOperation, 'method' | 'target' | 'answer'>,
): Promise<KeeperAnswer> {
  const question = {
    ...keeperOf(house, context, thing),
    method,
    target,
    accept: ACCEPT[answer],
    body: null,
    isLive: answer !== 'document',
  }
  return goodAnswer(house, call, await askKeeper(house, call, question), thing.isOwn)
}

/** The answer, where it is one. Throws what the provider says in its place. */
export function goodAnswer(house: House, call: Call, answer: KeeperAnswer, isOwn: boolean): KeeperAnswer {
  const { head } = answer
  if (answer.kind === 'live') return answer
  const isGood = head.status >= 200 && head.status < 300
  if (isGood && !isErrorAlone(answer.body)) return answer
  const error = dialectOf('openai').readError(head.status, answer.body)
  const outcome = isGood ? classifyWithin(error) : classify(head, error, house.clock.wallMs())
  throw finalError({
    model: call.model ?? '',
    outcomes: [outcome],
    attempts: [],
    isOwn,
    isFull: false,
    outMs: null,
    staysHome: false,
    mayHaveRun: false,
    settings: call.settings.replies,
  })
}

/** What is kept may tell an error of its own: a response that failed. It says beside it what it is. */
function isErrorAlone(body: Uint8Array): boolean {
  const told = objectIn(body)
  if (told === null || told.error === undefined || told.error === null) return false
  return told.id === undefined && told.object === undefined
}

/** Ends a request with this whole answer. */
export function ended({ house, call, over }: Work, body: Uint8Array, type = 'application/json'): Response {
  call.clock.post()
  const timing = call.clock.read()
  over(null)
  conclude(house, call, { status: 200, error: null, timing, settled: null })
  const answer = plainAnswer(call, timing, body)
  answer.headers.set('content-type', type)
  return answer
}

const ACCEPT = { document: 'application/json', events: 'text/event-stream', bytes: '*/*' } as const

const WORDS: Readonly<Record<StoredKind, string>> = { response: 'Response', item: 'Item', file: 'File', batch: 'Batch' }
const SHOWN_MAX = 100

/** The refusal of what the account has not. */
export const notStored = ({ kind, id }: Pick<KeptOperation, 'kind' | 'id'>): GatewayError =>
  new GatewayError('not_stored', `${WORDS[kind]} with id '${id.slice(0, SHOWN_MAX)}' not found.`)

function shown(body: Uint8Array, { model }: StoredThing): Uint8Array {
  const document = renamedModel(body, model)
  if (document === null) throw new GatewayError('provider_failed', 'The provider answered with what is no document.')
  return document
}

async function takeEffect(work: Work, thing: StoredThing, effect: 'forget' | 'told', body: Uint8Array): Promise<void> {
  const { house, call } = work
  if (effect === 'forget') {
    await house.stored.forget(thing.accountId, [thing.id]).catch((error: unknown) => {
      house.log.warn('stored_unwritten', { request_id: call.requestId, message: errorText(error) }) // a disk that fails costs nobody the answer
    })
    return
  }
  const told = objectIn(body)
  if (told !== null) await keepTold(house, call, toldAgain(call, thing, told))
}

const contentTypeOf = ({ headers }: ReplyHead): string =>
  headers.find(([name]) => name === 'content-type')?.[1] ?? 'application/json'
