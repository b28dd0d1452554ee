import type { StoredAnswer } from '../dialects/index.ts'
import {
  type Candidate,
  completionTokens,
  type OperatorCredential,
  promptTokens,
  type StoredThing,
} from '../domain/index.ts'
import { DAY_MS } from '../lib/index.ts'
import type { Call } from './call.ts'
import type { House } from './house.ts'
import { isKeepable, keepTold } from './kept/told-thing.ts'

/** By whom an answer was made, and with what. */
export interface Maker {
  readonly candidate: Pick<Candidate, 'offer' | 'own'>
  readonly credential: OperatorCredential | null
}

/** OpenAI keeps responses for 30 days (platform.openai.com/docs/guides/your-data). */
const LIFE_MS = 30 * DAY_MS
const ITEMS_MAX = 1000

/** Writes down where an answer is kept: known at once, and on disk when this resolves. Never rejects. */
export async function keepAnswer(
  house: House,
  call: Call,
  { candidate, credential }: Maker,
  answer: StoredAnswer,
): Promise<void> {
  const { accountId } = call
  if (accountId === null) return
  const nowMs = house.clock.wallMs()
  const common = {
    accountId,
    backend: candidate.offer.backend.id,
    credential: credential?.id ?? null,
    isOwn: candidate.own !== undefined,
    model: call.model ?? candidate.offer.model,
    createdAtMs: nowMs,
    untilMs: nowMs + LIFE_MS,
  }
  const { prompt, said } = tokensOf(answer)
  const ofItem = toldTokens(Math.ceil(said / answer.items.length))
  const items = answer.items
    .slice(0, ITEMS_MAX)
    .map((id): StoredThing => ({ ...common, id, kind: 'item', told: ofItem }))
  const whole: StoredThing = { ...common, id: answer.id, kind: 'response', told: toldTokens(prompt + said) }
  const things = [whole, ...items]
  await keepTold(
    house,
    call,
    things.filter(({ id }) => isKeepable(id)),
  )
}

/** What goes on from it, or refers to it, brings so many tokens along. */
const toldTokens = (tokens: number): StoredThing['told'] => (tokens > 0 ? { tokens } : null)

const tokensOf = ({ usage }: StoredAnswer): { readonly prompt: number; readonly said: number } =>
  usage === null ? { prompt: 0, said: 0 } : { prompt: promptTokens(usage), said: completionTokens(usage) }
