import type { OperatorCredential } from '../domain/index.ts'
import { hashKey } from '../vault/index.ts'

const MARK_CHARS = 8 // tells secrets of one id apart; of 32 bits of a hash nobody makes the secret

/** Tells a secret from another under the same id, so that what a provider said of the old one says nothing of the new one. */
export function credentialMark(credential: OperatorCredential): string {
  let mark = marks.get(credential)
  if (mark === undefined) {
    mark = hashKey(credential.secret).slice(0, MARK_CHARS)
    marks.set(credential, mark)
  }
  return mark
}

/** Of the credentials of live catalogues: a hash is too dear for each request. */
const marks = new WeakMap<OperatorCredential, string>()
