import { etagOf, GatewayError } from '../../domain/index.ts'

/** What of Elysia's context an ETag needs. */
interface Tagging {
  readonly set: { readonly headers: Record<string, string | number | undefined> }
}

const TAG = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/
const VERSION = /^[1-9]\d{0,14}$/
const NO_VERSION = 0

/** The answer of one thing, with its version as the ETag. */
export function tagged({ set }: Tagging, version: number, answer: object): object {
  set.headers.etag = etagOf(version)
  return answer
}

/**
 * The version that a change is meant for, from `If-Match` (RFC 9110, section 13.1.1); null: whatever it is. A tag that was never given out,
 * or a weak one, is no version at all, so that nothing matches it. Throws 400 for what is no ETag.
 */
export function versionWanted(request: Request): number | null {
  const given = request.headers.get('if-match')?.trim()
  if (given === undefined || given === '*') return null
  const match = TAG.exec(given)
  if (match === null)
    throw new GatewayError('invalid_request', `'If-Match' must be one ETag, such as ${etagOf(3)}, or *.`, {
      param: 'If-Match',
    })
  const [, weak, tag = ''] = match
  return weak === undefined && VERSION.test(tag) ? Number(tag) : NO_VERSION
}
