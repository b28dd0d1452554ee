import { type AccountContext, type ErrorCode, GatewayError, type StoredThing } from '../../domain/index.ts'
import { admitRequest } from '../admit.ts'
import type { Arrival } from '../call.ts'
import { enter } from '../enter.ts'
import type { House } from '../house.ts'
import { notAgain } from '../not-again.ts'
import { withWork } from '../with-work.ts'
import type { Work } from '../work.ts'
import { askKeeper } from './ask-keeper.ts'
import { goodAnswer } from './ask-kept.ts'
import { endedWithMade } from './ended-with-made.ts'
import { keeperOf } from './keeper-of.ts'
import { notStored } from './not-stored.ts'
import { objectIn } from './told-thing.ts'

/**
 * Begins a batch where its file is. What it does is not metered here, so it is for own credentials, and for unmetered accounts with a key that
 * nothing bounds in money; and for nobody who is bound in models.
 */
export const runBatch = (house: House, arrival: Arrival): Promise<Response> =>
  withWork(house, arrival, (work) => serve(work, arrival))

async function serve(work: Work, arrival: Arrival): Promise<Response> {
  const { house, call } = work
  const { context, body } = await enter(work, arrival)
  admitRequest(house, call, context.key)
  call.clock.enter('prep')
  const file = await fileOf(house, context, body)
  refuseUnmetered(context, file)
  const keeper = keeperOf(house, context, file, true)
  call.clock.enter('wait')
  const question = {
    ...keeper,
    method: 'POST',
    target: '/batches',
    accept: 'application/json',
    body: { type: 'application/json', bytes: body },
    isLive: false,
  } as const
  try {
    const answer = goodAnswer(house, call, await askKeeper(house, call, question), file.isOwn)
    return await endedWithMade(work, 'batch', file, answer)
  } catch (error) {
    // A provider that failed may have begun it all the same: asked again, it would work on it twice, and bill it.
    throw error instanceof GatewayError && MAY_HAVE_BEGUN.has(error.code) ? notAgain(call, error) : error
  }
}

const MAY_HAVE_BEGUN: ReadonlySet<ErrorCode> = new Set(['provider_failed', 'provider_timeout'])

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
  throw notStored({ kind: 'file', id }, { param: 'input_file_id', status: 400 })
}

/** An own credential is paid for elsewhere, so a budget says nothing of it; which models may be used with it, a list does say. */
function refuseUnmetered({ account, key }: AccountContext, { isOwn }: StoredThing): void {
  if (!isOwn && account.kind !== 'unmetered')
    throw new GatewayError(
      'not_metered',
      'Batches are not metered here: they are served with an own credential of your account alone.',
    )
  if (key.models !== null || account.models !== null || (!isOwn && key.budgets !== null))
    throw new GatewayError(
      'not_metered',
      'This key or its account has a budget or a list of models, which nothing could hold a batch to.',
    )
}
