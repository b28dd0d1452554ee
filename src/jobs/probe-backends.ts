import type { Agents } from '../agents/index.ts'
import type { Backend, Catalogue, OperatorCredential, QuarantineSettings } from '../domain/index.ts'
import type { Claim, Health, ProbeEnd } from '../health/index.ts'
import type { CancelTimer, Clock } from '../lib/index.ts'
import { type FreeCallEnd, freeCall, type UnansweredReason } from './doctor/free-call.ts'

export interface ProbeRooms {
  readonly clock: Clock
  readonly agents: Pick<Agents, 'of'>
  readonly health: Pick<Health, 'probesDue' | 'beginProbe' | 'probeEnded' | 'probeCredential'>
  readonly catalogue: () => Catalogue
  readonly settings: () => Pick<QuarantineSettings, 'probe'>
}

const PERIOD_MS = 1000
const LIMIT_MS = 10_000

/**
 * Asks backends that wait for their trial, and those that fail one account alone, for their models: no tokens, no caller who pays for a
 * failure with his time. A backend with `ping: off` is asked nothing; its pings' terms say whether a credential is shown.
 */
export function probeBackends(rooms: ProbeRooms): CancelTimer {
  const { clock, health, catalogue, settings } = rooms
  return clock.every(PERIOD_MS, () => {
    if (!settings().probe) return
    for (const backend of health.probesDue(catalogue().backends.values())) {
      if (backend.ping !== null) void probe(rooms, backend, health.beginProbe(backend))
    }
  })
}

async function probe({ clock, agents, health }: ProbeRooms, backend: Backend, claim: Claim): Promise<void> {
  const credential = backend.ping?.withCredential === true ? health.probeCredential(backend) : null
  const secret = credential?.secret ?? null
  const end = await freeCall({ backend, agent: agents.of(backend), secret, clock, limitMs: LIMIT_MS })
  const found = foundOf(end, credential)
  if (found !== null) health.probeEnded(claim, found)
}

/** Null for what says nothing of the backend. */
function foundOf(end: FreeCallEnd, credential: OperatorCredential | null): ProbeEnd | null {
  if (end.kind === 'answered') {
    const { status } = end
    if (status < SERVER_ERROR) return { kind: 'answered', status, credential }
    return { kind: 'failed', message: `a probe was answered with status ${status}`, isConnection: false }
  }
  const { reason, message } = end
  if (OURS.has(reason)) return null
  return { kind: 'failed', message: `a probe failed (${reason}): ${message}`, isConnection: CONNECTION.has(reason) }
}

const SERVER_ERROR = 500
/** The gateway's own want of room. */
const OURS: ReadonlySet<UnansweredReason> = new Set<UnansweredReason>(['busy', 'no_room'])
const CONNECTION: ReadonlySet<UnansweredReason> = new Set<UnansweredReason>([
  'dns',
  'connect',
  'connect_timeout',
  'tls',
])
