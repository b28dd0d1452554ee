import { createAgent } from '../../agents/index.ts'
import type { AgentSettings, Backend, BackendId } from '../../domain/index.ts'
import type { Exclusion } from '../../health/index.ts'
import type { Clock } from '../../lib/index.ts'
import type { ClockReading } from './clock-findings.ts'
import { type Finding, warn } from './finding.ts'
import { type FreeCallEnd, freeCall } from './free-call.ts'
import { judgeBackend } from './judge-backend.ts'
import { judgeCredential } from './judge-credential.ts'

export interface BackendsAsked {
  readonly backends: Iterable<Backend>
  readonly settings: AgentSettings
  readonly clock: Clock
  exclusion(backend: BackendId): Pick<Exclusion, 'cause' | 'reason'> | null
}

export interface BackendsSeen {
  readonly findings: readonly Finding[]
  readonly readings: readonly ClockReading[]
}

const CALL_MS_MAX = 10_000
const AT_ONCE_MAX = 8
const CREDENTIALS_MAX = 20

/**
 * Asks every enabled backend, on a new connection of its own, without a credential and then with each: how long the way there takes, and
 * whether each credential is taken. Free, at most 10 s a call, eight backends at a time.
 */
export async function backendFindings(asked: BackendsAsked): Promise<BackendsSeen> {
  const left = [...asked.backends].filter(({ enabled }) => enabled)
  const seen: BackendsSeen[] = []
  const places = new Map(left.map(({ id }, at) => [id, at]))
  const work = async (): Promise<void> => {
    for (let backend = left.shift(); backend !== undefined; backend = left.shift())
      seen[places.get(backend.id) ?? 0] = await backendSeen(asked, backend)
  }
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, work))
  return { findings: seen.flatMap(({ findings }) => findings), readings: seen.flatMap(({ readings }) => readings) }
}

async function backendSeen({ settings, clock, exclusion }: BackendsAsked, backend: Backend): Promise<BackendsSeen> {
  const agent = createAgent({ backend, settings, clock })
  const call = (secret: string | null) => freeCall({ backend, agent, secret, clock, limitMs: CALL_MS_MAX })
  try {
    const open = await call(null)
    const findings = [judgeBackend(backend, open), ...outFinding(backend, exclusion(backend.id))]
    if (open.kind === 'answered') {
      for (const credential of backend.provider.credentials.slice(0, CREDENTIALS_MAX))
        findings.push(judgeCredential(backend, credential, await call(credential.secret), open))
    }
    return { findings, readings: readingsOf(backend, open) }
  } finally {
    agent.close()
  }
}

function outFinding({ id }: Backend, out: Pick<Exclusion, 'cause' | 'reason'> | null): Finding[] {
  if (out === null) return []
  const message = `quarantined (${out.cause}): ${out.reason}`
  return [
    warn(
      { check: 'backend', subject: id },
      message,
      `It gets no requests meanwhile: 'anyrouter quarantine list' tells until when.`,
    ),
  ]
}

function readingsOf({ id }: Backend, end: FreeCallEnd): ClockReading[] {
  if (end.kind !== 'answered' || end.dateMs === null) return []
  return [{ backend: id, aheadMs: end.dateMs.theirs - end.dateMs.ours }]
}
