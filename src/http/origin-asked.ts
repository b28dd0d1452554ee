import { askedOrigin } from '../lib/index.ts'
import { badHost } from './bad-host.ts'

/** The origin under which a request reached us, to be shown to whoever asked. Throws 400 for a host that is none. */
export function originAsked(request: Request): string {
  const origin = askedOrigin(request)
  if (origin === null) throw badHost()
  return origin
}
