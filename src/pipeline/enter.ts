import type { AccountContext } from '../domain/index.ts'
import { admit } from './admit.ts'
import { authenticate, recognise } from './authenticate.ts'
import { type Arrival, note } from './call.ts'
import { keptOf } from './content-capture.ts'
import { openExplanation, wantsExplanation } from './explanation.ts'
import { receiveBody, receiveHead } from './receive.ts'
import { warm } from './warm.ts'
import type { Work } from './work.ts'

/** receive, authenticate, admit: what every operation begins with. */
export async function enter(
  { house, call }: Work,
  arrival: Arrival,
): Promise<{ context: AccountContext; body: Uint8Array }> {
  const head = receiveHead(house, call)
  const recognition = recognise(house, head.secrets, arrival.remoteAddress)
  warm(house, recognition)
  arrival.liftIdleLimit()
  if (wantsExplanation(call)) note(call, { explain: await openExplanation(house, head.secrets) })
  const body = await receiveBody(house, call, head, recognition.kind === 'known' ? null : recognition.principal)
  call.clock.enter('auth')
  const known = () => authenticate(house, head.secrets, recognition, arrival.remoteAddress)
  const principal = await known()
  note(call, { keyId: principal.key.id })
  call.clock.enter('ctx')
  const context = await admit(house, principal, known)
  note(call, { accountId: context.account.id, ...keptOf(context, body) })
  return { context, body }
}
