import { type AccountContext, GatewayError, type StoredKind, type StoredThing } from '../../domain/index.ts'
import { admitRequest } from '../admit.ts'
import type { Arrival, Call } from '../call.ts'
import { ended } from '../ended.ts'
import { enter } from '../enter.ts'
import type { House } from '../house.ts'
import { withWork } from '../with-work.ts'
import type { Work } from '../work.ts'
import { askKept } from './ask-kept.ts'
import { keepToldAgain, objectIn } from './told-thing.ts'

/** Which things are listed, and where each is asked for. */
export interface KeptListing {
  readonly kind: StoredKind
  /** Of the request, with its query. Throws 400 where its host is none. */
  urlOf(request: Request): URL
  /** Path of one, below a backend's base URL. */
  pathOf(id: string): string
  /** May still change: it is asked for. */
  isOpen(told: Readonly<Record<string, unknown>>): boolean
}

const LIMIT = 20
const LIMIT_MAX = 100
const ASKED_AT_ONCE = 4
const PAGES_MAX = 20

/**
 * Lists what the account has, from what providers said of it last; what may have changed is asked for again. A provider's own list has what all accounts
 * have that share a credential.
 */
export const runKeptList = (house: House, arrival: Arrival, listing: KeptListing): Promise<Response> =>
  withWork(house, arrival, (work) => serve(work, arrival, listing))

async function serve(work: Work, arrival: Arrival, listing: KeptListing): Promise<Response> {
  const { house, call } = work
  const { context } = await enter(work, arrival)
  admitRequest(house, call, context.key)
  call.clock.enter('prep')
  const query = queryOf(listing.urlOf(arrival.request))
  const { things, hasMore } = await pageOf(house, context, listing, query)
  call.clock.enter('wait')
  const data: object[] = []
  for (let at = 0; at < things.length; at += ASKED_AT_ONCE) {
    const some = things.slice(at, at + ASKED_AT_ONCE)
    data.push(...(await Promise.all(some.map((thing) => told(house, call, context, thing, listing)))))
  }
  call.clock.post()
  const list = {
    object: 'list',
    data,
    first_id: things[0]?.id ?? null,
    last_id: things.at(-1)?.id ?? null,
    has_more: hasMore,
  }
  return ended(work, Buffer.from(JSON.stringify(list)))
}

interface Query {
  readonly limit: number
  readonly after: string | null
  readonly isNewestFirst: boolean
  readonly purpose: string | null
}

function queryOf({ searchParams }: URL): Query {
  const limit = searchParams.get('limit')
  if (limit !== null && !/^[1-9]\d{0,8}$/.test(limit))
    throw new GatewayError('invalid_request', `Invalid 'limit': expected a whole number from 1.`, { param: 'limit' })
  const order = searchParams.get('order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc')
    throw new GatewayError('invalid_request', "Invalid 'order': expected 'asc' or 'desc'.", { param: 'order' })
  return {
    limit: Math.min(limit === null ? LIMIT : Number(limit), LIMIT_MAX),
    after: searchParams.get('after'),
    isNewestFirst: order === 'desc',
    purpose: searchParams.get('purpose'),
  }
}

/** One more than is shown tells whether there are more. */
async function pageOf(
  { stored }: House,
  { account }: AccountContext,
  { kind }: KeptListing,
  { limit, purpose, isNewestFirst, ...query }: Query,
): Promise<{ readonly things: readonly StoredThing[]; readonly hasMore: boolean }> {
  const found: StoredThing[] = []
  let { after } = query
  for (let page = 0; page < PAGES_MAX && found.length <= limit; page++) {
    const things = await stored.list({ accountId: account.id, kind, isNewestFirst, limit: LIMIT_MAX, after })
    found.push(...things.filter((thing) => purpose === null || thing.told?.purpose === purpose))
    after = things.at(-1)?.id ?? null
    if (things.length < LIMIT_MAX) break
  }
  return { things: found.slice(0, limit), hasMore: found.length > limit }
}

/** What is said of one now. Where its keeper does not answer, what it said last. */
async function told(
  house: House,
  call: Call,
  context: AccountContext,
  thing: StoredThing,
  listing: KeptListing,
): Promise<object> {
  if (thing.told !== null && !listing.isOpen(thing.told)) return thing.told
  const known = thing.told ?? { id: thing.id, object: listing.kind, created_at: Math.floor(thing.createdAtMs / 1000) }
  try {
    const answer = await askKept(house, call, context, thing, {
      method: 'GET',
      target: listing.pathOf(thing.id),
      answer: 'document',
    })
    const said = answer.kind === 'whole' ? objectIn(answer.body) : null
    if (said === null) return known
    await keepToldAgain(house, call, thing, said)
    return said
  } catch (error) {
    if (error instanceof GatewayError && error.code !== 'client_closed_request') return known
    throw error
  }
}
