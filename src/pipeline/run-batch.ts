import { type AccountContext, GatewayError, type StoredThing } from '../domain/index.ts'
import { admitRequest } from './admit.ts'
import { asGatewayError } from './answer.ts'
import { askKeeper } from './ask-keeper.ts'
import type { Arrival } from './call.ts'
import { enter } from './enter.ts'
import type { House } from './house.ts'
import { keeperOf } from './keeper-of.ts'
import { refused } from './refused.ts'
import { ended, goodAnswer } from './run-kept.ts'
import { keepTold, objectIn, toldThing } from './told-thing.ts'
import { beginWork, type Work } from './work.ts'

/**
 * Begins a batch where its file is. What it does is not metered here, so it is for own credentials, and for unmetered accounts with a key that
 * nothing bounds in models or money.
 */
export async function runBatch(house: House, arrival: Arrival): Promise<Response> {
  const work = beginWork(house, arrival)
  try {
    return await serve(work, arrival)
  } catch (thrown) {
    return refused(work, asGatewayError(thrown), null)
  }
}

async function serve(work: Work, arrival: Arrival): Promise<Response> {
  const { house, call } = work
  const { context, body } = await enter(work, arrival)
  admitRequest(house, call, context.key)
  call.clock.enter('prep')
  const file = await fileOf(house, context, body)
  refuseUnmetered(context, file)
  const keeper = keeperOf(house, context, file)
  call.clock.enter('wait')
  const answer = goodAnswer(
    house,
    call,
    await askKeeper(house, call, {
      ...keeper,
      method: 'POST',
      target: '/batches',
      accept: 'application/json',
      body: { type: 'application/json', bytes: body },
      isLive: false,
    }),
    file.isOwn,
  )
  call.clock.post()
  const bytes = answer.kind === 'whole' ? answer.body : new Uint8Array(0)
  const told = objectIn(bytes)
  const thing = told === null ? null : toldThing(work, 'batch', file, told)
  if (thing === null) throw new GatewayError('provider_failed', 'The provider did not say what it keeps the batch as.')
  await keepTold(house, call, [thing])
  return ended(work, bytes)
}

/** The file that it works on, which tells where. Throws 400. */
async function fileOf({ stored }: House, { account }: AccountContext, body: Uint8Array): Promise<StoredThing> {
  const asked = objectIn(body)
  if (asked === null) throw new GatewayError('invalid_json', 'The body is no JSON object.')
  for (const name of ['input_file_id', 'endpoint', 'completion_window'])
    if (typeof asked[name] !== 'string')
      throw new GatewayError('invalid_request', `Missing required parameter: '${name}'.`, { param: name })
  const id = String(asked.input_file_id)
  const file = await stored.find(account.id, id)
  if (file?.kind === 'file') return file
  throw new GatewayError('not_stored', `File with id '${id.slice(0, SHOWN_MAX)}' not found.`, {
    param: 'input_file_id',
    status: 400,
  })
}

const SHOWN_MAX = 100

function refuseUnmetered({ account, key }: AccountContext, { isOwn }: StoredThing): void {
  if (isOwn) return
  if (account.kind === 'unmetered' && key.models === null && key.budgets === null) return
  throw new GatewayError(
    'not_metered',
    account.kind === 'unmetered'
      ? 'This key has a budget or a list of models, which nothing could hold a batch to.'
      : 'Batches are not metered here: they are served with an own credential of your account alone.',
  )
}
