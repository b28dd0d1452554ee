import { type MeasuredCall, measurePath } from '../agents/index.ts'
import { ownCallHeaders } from '../dialects/index.ts'
import type { AgentSettings, Backend } from '../domain/index.ts'
import type { CredentialAnswer, PathChecks } from '../http/index.ts'
import type { Clock } from '../lib/index.ts'
import { credentialHeaders } from './credential-headers.ts'

const CREDENTIALS_MAX = 20

/** What an operator asks of the way to a backend. Who asks while the same is under way gets that answer. */
export function pathChecks(settings: () => AgentSettings, clock: Clock): PathChecks {
  const measure = (backend: Backend, calls: Parameters<typeof measurePath>[0]['calls']): Promise<MeasuredCall[]> =>
    measurePath({ backend, settings: settings(), clock, calls })

  async function ping(backend: Backend) {
    const headers = backend.ping?.withCredential ? credentialHeaders(backend) : []
    const [fresh, kept = null] = await measure(backend, [headers, headers])
    return { fresh: fresh ?? NOT_ASKED, kept }
  }

  async function probe(backend: Backend): Promise<CredentialAnswer[]> {
    const credentials = backend.provider.credentials.slice(0, CREDENTIALS_MAX)
    const shown = credentials.length === 0 ? [null] : credentials
    const calls = await measure(
      backend,
      shown.map((credential) => ownCallHeaders(backend.dialects, credential?.secret ?? null)),
    )
    return calls.map((call, at) => ({ credential: shown[at]?.id ?? null, call }))
  }

  return { ping: joined(ping), probe: joined(probe) }
}

const NOT_ASKED: MeasuredCall = { kind: 'unanswered', reason: 'connect', message: 'nothing was asked' }

/** One at a time for each backend. */
function joined<Answer>(ask: (backend: Backend) => Promise<Answer>): (backend: Backend) => Promise<Answer> {
  const underWay = new Map<string, Promise<Answer>>()
  return (backend) => {
    const running = underWay.get(backend.id)
    if (running !== undefined) return running
    const begun = ask(backend).finally(() => underWay.delete(backend.id))
    underWay.set(backend.id, begun)
    return begun
  }
}
