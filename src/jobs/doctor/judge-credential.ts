import type { Backend, OperatorCredential } from '../../domain/index.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import type { FreeCallEnd } from './free-call.ts'
import { NOT_THERE, needsCredential } from './judge-backend.ts'

/** What a call with a credential says of it; `open` is how the same call without one ended. */
export function judgeCredential(
  { id, provider }: Backend,
  credential: Pick<OperatorCredential, 'id'>,
  end: FreeCallEnd,
  open: FreeCallEnd,
): Finding {
  const about = { check: 'credential', subject: `${id}/${credential.id}` } as const
  const prove = `'anyrouter smoke --backend ${id}' proves it, for a fraction of a cent.`
  if (end.kind === 'unanswered') return warn(about, `not known: ${end.reason}: ${end.message}`, 'Try again.')
  const { status, words } = end
  const said = words === '' ? `${status}` : `${status}: ${words}`
  if (needsCredential(status)) {
    const advice = `Put a good secret where the credential ${credential.id} of ${provider.id} has it, then 'anyrouter reload'.`
    return fail(about, `refused with ${said}`, advice)
  }
  if (status === 402 || status === 429)
    return warn(
      about,
      `known, but limited now: ${said}`,
      "Look at the provider's console: its balance, and its limits.",
    )
  if (status === 404) return warn(about, `not known: ${said}`, NOT_THERE)
  if (status >= 300) return warn(about, `not known: ${said}`, prove)
  if (open.kind === 'answered' && open.status < 300)
    return ok(about, 'not refused; but there the list of models is open to everybody: anyrouter smoke proves it')
  return ok(about, 'taken')
}
