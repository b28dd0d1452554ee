import { canonicalAddress } from '../lib/index.ts'

const NAME = /^(?=.{1,253}$)[\w-]{1,63}(\.[\w-]{1,63})*\.?$/
const ZONE = /%[\w.-]+$/

/**
 * Whether a text can be an address or name to listen on. Not an empty one, as a shell gives it for a variable that is not set: the system
 * takes that for every address there is. Nor one with a port, which is a setting of its own.
 */
export const isListenHost = (text: string): boolean =>
  NAME.test(text) || (text.includes(':') && canonicalAddress(text.replace(ZONE, '')) !== null)

export const LISTEN_HOST_FORM =
  'an address or a name of this machine, without a port, such as 127.0.0.1 or ::1; 0.0.0.0 for all'
