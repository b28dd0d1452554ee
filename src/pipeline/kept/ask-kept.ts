import { dialectOf } from '../../dialects/index.ts'
import type { AccountContext, StoredThing } from '../../domain/index.ts'
import type { Call } from '../call.ts'
import { isSuccess } from '../dispatch/body-kind.ts'
import { classify, classifyWithin } from '../dispatch/classify.ts'
import { finalError } from '../dispatch/final-error.ts'
import type { House } from '../house.ts'
import { askKeeper, type KeeperAnswer, type KeeperQuestion } from './ask-keeper.ts'
import { keeperOf } from './keeper-of.ts'
import { objectIn } from './told-thing.ts'

/** What is asked about something that a provider keeps. */
export interface KeptQuestion {
  readonly method: KeeperQuestion['method']
  /** Path below the backend's base URL, and query. */
  readonly target: string
  /** A whole document; events, or bytes of a file, as they come. */
  readonly answer: 'document' | 'events' | 'bytes'
}

/** Asks who keeps a thing. Throws what is no answer. */
export async function askKept(
  house: House,
  call: Call,
  context: AccountContext,
  thing: StoredThing,
  { method, target, answer }: KeptQuestion,
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

const ACCEPT = { document: 'application/json', events: 'text/event-stream', bytes: '*/*' } as const

/** The answer, where it is one. Throws what the provider says in its place. */
export function goodAnswer(house: House, call: Call, answer: KeeperAnswer, isOwn: boolean): KeeperAnswer {
  const { head } = answer
  if (answer.kind === 'live') return answer
  const isGood = isSuccess(head)
  if (isGood && !isErrorAlone(answer.body)) return answer
  const error = dialectOf('openai').readError(head.status, answer.body)
  const outcome = isGood ? classifyWithin(error) : classify(head, error, house.clock.wallMs())
  throw finalError({
    model: call.model ?? '',
    outcomes: [outcome],
    attempts: [],
    isOwn,
    hasUntried: false,
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
