import { dialectOf } from '../../dialects/index.ts'
import { Bug } from '../../lib/index.ts'
import { admitRequest } from '../admit.ts'
import type { Arrival } from '../call.ts'
import { enter } from '../enter.ts'
import type { House } from '../house.ts'
import { prepareForm } from '../prepare.ts'
import { wishOf } from '../route/index.ts'
import { withWork } from '../with-work.ts'
import type { Work } from '../work.ts'
import { askKeeper } from './ask-keeper.ts'
import { goodAnswer } from './ask-kept.ts'
import { endedWithMade } from './ended-with-made.ts'
import { placeForFiles } from './place-for-files.ts'

/** Takes a file, which goes on while it comes to a backend that keeps it: only the account finds it there. Nothing of it is billed. */
export const runUpload = (house: House, arrival: Arrival): Promise<Response> =>
  withWork(house, arrival, (work) => serve(work, arrival))

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
  return endedWithMade(work, 'file', { backend: backend.id, credential: credential?.id ?? null, isOwn }, answer)
}
