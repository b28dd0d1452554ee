import { dialectOf } from '../dialects/index.ts'
import { GatewayError } from '../domain/index.ts'
import { Bug } from '../lib/index.ts'
import { admitRequest } from './admit.ts'
import { asGatewayError } from './answer.ts'
import { askKeeper } from './ask-keeper.ts'
import type { Arrival } from './call.ts'
import { enter } from './enter.ts'
import type { House } from './house.ts'
import { placeForFiles } from './place-for-files.ts'
import { prepareForm } from './prepare.ts'
import { refused } from './refused.ts'
import { wishOf } from './route/index.ts'
import { ended, goodAnswer } from './run-kept.ts'
import { keepTold, objectIn, toldThing } from './told-thing.ts'
import { beginWork, type Work } from './work.ts'

/** Takes a file, which goes on while it comes to a backend that keeps it: only the account finds it there. Nothing of it is billed. */
export async function runUpload(house: House, arrival: Arrival): Promise<Response> {
  const work = beginWork(house, arrival)
  try {
    return await serve(work, arrival)
  } catch (thrown) {
    return refused(work, asGatewayError(thrown), null)
  }
}

async function serve(work: Work, arrival: Arrival): Promise<Response> {
  const { house, call } = work
  const { context, received } = await enter(work, arrival)
  if (received === undefined) throw new Bug('a file came outside of a form')
  admitRequest(house, call, context.key)
  call.clock.enter('prep')
  const { facts, upload } = prepareForm('openai', received, arrival.request)
  call.clock.enter('route')
  const { backend, credential, isOwn } = placeForFiles(house, context, wishOf(call, facts).pin)
  call.clock.enter('wait')
  const question = {
    backend,
    credential,
    method: 'POST',
    target: dialectOf('openai').path(arrival.operation),
    accept: 'application/json',
    body: { type: facts.bodyType ?? '', bytes: facts.body, ...(upload === undefined ? {} : { rest: upload }) },
    isLive: false,
  } as const
  const asked = await askKeeper(house, call, question).catch((error: unknown) => {
    throw upload?.fault ?? error // what is wrong with the form, or its sender
  })
  const answer = goodAnswer(house, call, asked, isOwn)
  call.clock.post()
  const body = answer.kind === 'whole' ? answer.body : new Uint8Array(0)
  const told = objectIn(body)
  const place = { backend: backend.id, credential: credential?.id ?? null, isOwn }
  const thing = told === null ? null : toldThing(work, 'file', place, told)
  if (thing === null) throw new GatewayError('provider_failed', 'The provider did not say what it keeps the file as.')
  await keepTold(house, call, [thing])
  return ended(work, body)
}
