import { InvalidArgumentError } from 'commander'
import { isListenHost, LISTEN_HOST_FORM } from '../config/index.ts'

/** Where to listen, as it is written. Throws commander's `InvalidArgumentError`. */
export function hostOf(text: string): string {
  if (!isListenHost(text)) throw new InvalidArgumentError(`Write ${LISTEN_HOST_FORM}.`)
  return text
}
