import type { AccountContext } from '../domain/index.ts'
import { admit } from './admit.ts'
import { authenticate, recognise } from './authenticate.ts'
import { BodyPlace, SMALL_BODY_BYTES } from './body-room.ts'
import type { Arrival, Call } from './call.ts'
import { keptOf } from './content-capture.ts'
import { openExplanation, wantsExplanation } from './explanation.ts'
import type { ReceivedForm, Recognition } from './handover.ts'
import type { House } from './house.ts'
import { type Head, receiveBody, receiveHead } from './receive.ts'
import { formOfJson, isForm, receiveForm } from './receive-form.ts'
import { warm } from './warm.ts'
import type { Work } from './work.ts'

/** receive, authenticate, admit: what every operation begins with. */
export async function enter(
  { house, call }: Work,
  arrival: Arrival,
): Promise<{ context: AccountContext; body: Uint8Array; received?: ReceivedForm }> {
  const asForm = isForm(arrival)
  const head = receiveHead(house, call, asForm ? call.settings.uploadBytesMax : undefined)
  const recognition = recognise(house, head.secrets, arrival.remoteAddress)
  warm(house, recognition)
  arrival.liftIdleLimit()
  if (wantsExplanation(call)) call.explain = await openExplanation(house, head.secrets)
  call.place = placeOf(house, call, head, recognition)
  const keyIsKnown = recognition.kind === 'known' ? null : recognition.principal
  const coming = asForm ? await receiveForm(house, call, head, keyIsKnown) : null
  call.upload = coming?.upload ?? null
  const bytes = coming?.body ?? (await receiveBody(house, call, head, keyIsKnown))
  call.clock.enter('auth')
  const known = () => authenticate(house, head.secrets, recognition, arrival.remoteAddress)
  const principal = await known()
  call.keyId = principal.key.id
  call.clock.enter('ctx')
  const context = await admit(house, principal, known)
  call.accountId = context.account.id
  const received = coming ?? formOfJson(arrival, bytes)
  const { keepsNothing, content } = keptOf(context, received?.form.said ?? bytes)
  call.keepsNothing = keepsNothing
  call.content = content
  return received === null ? { context, body: bytes } : { context, body: received.body, received }
}

/** Of a body that is long, or may be. */
function placeOf({ traffic }: House, { settings }: Call, { bodyBytesDeclared }: Head, recognition: Recognition) {
  if (bodyBytesDeclared !== null && bodyBytesDeclared <= SMALL_BODY_BYTES) return null
  const owner = recognition.kind === 'known' ? recognition.principal.key.accountId : ''
  return new BodyPlace(traffic.bodies, owner, settings.limits.bodiesBytesMax)
}
