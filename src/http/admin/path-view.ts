import type { AgentStats, MeasuredCall } from '../../agents/index.ts'
import type { CredentialAnswer } from './deps.ts'
import { snakeCase } from './snake-case.ts'

/** How the way to a backend is doing, as the admin API says it. */
export function pathView({ path, requestsSent, requestsOnKept, resends, connectionsDialling }: AgentStats): object {
  const { isKeptWarm, ...rest } = path
  return {
    kept_warm: isKeptWarm,
    connections_dialling: connectionsDialling,
    requests_sent: requestsSent,
    reused_percent: requestsSent === 0 ? null : Math.round((1000 * requestsOnKept) / requestsSent) / 10,
    resends,
    ...Object(snakeCase(rest)),
  }
}

/** One call of a ping. */
export const callView = (call: MeasuredCall | null): unknown => (call === null ? null : snakeCase(call))

/** What the backend says to a credential; null: to none. */
export const credentialView = ({ credential, call }: CredentialAnswer): object => ({
  credential,
  verdict: verdictOf(call),
  status: call.kind === 'answered' ? call.status : null,
  took_us: call.kind === 'answered' ? call.tookUs : null,
  message: call.kind === 'unanswered' ? `${call.reason}: ${call.message}` : null,
})

/** `unclear`: it answers, but this request tells nothing of the credential. */
function verdictOf(call: MeasuredCall): 'accepted' | 'denied' | 'throttled' | 'failing' | 'unclear' {
  if (call.kind === 'unanswered' || call.status >= 500) return 'failing'
  if (call.status >= 200 && call.status < 300) return 'accepted'
  if (call.status === 401 || call.status === 403) return 'denied'
  return call.status === 429 ? 'throttled' : 'unclear'
}
