import type { AgentSettings, Backend, Catalogue } from '../domain/index.ts'
import type { Clock } from '../lib/index.ts'
import type { Agent, AgentStats } from './contract.ts'
import { createAgent, type KeepAliveAgent } from './create-agent.ts'

/** The agents of all backends, one each. */
export interface Agents {
  /** The backend's agent, made on first use. A backend of an older catalogue, still in use by a request, gets its older agent. */
  of(backend: Backend): Agent
  /** A new catalogue: agents of backends that stayed the same stay; the others keep no connection any more and end with their last request. */
  update(catalogue: Catalogue): void
  stats(): ReadonlyMap<string, AgentStats>
  close(): void
}

interface Entry {
  readonly backend: Backend
  readonly agent: KeepAliveAgent
}

/** Makes the agents' registry, keyed by backend id. */
export function createAgents(options: { readonly settings: AgentSettings; readonly clock: Clock }): Agents {
  const current = new Map<string, Entry>()
  let retired: Entry[] = []
  let isClosed = false

  function open(backend: Backend): Entry {
    const entry = { backend, agent: createAgent({ ...options, backend }) }
    if (isClosed) entry.agent.close()
    return entry
  }

  function retire(entry: Entry): void {
    entry.agent.retire()
    retired.push(entry)
  }

  return {
    of(backend) {
      const entry = current.get(backend.id)
      if (entry !== undefined && isServedAlike(entry.backend, backend)) return entry.agent
      const older = retired.find((other) => other.backend.id === backend.id && isServedAlike(other.backend, backend))
      if (older !== undefined) return older.agent
      const made = open(backend)
      if (entry === undefined) current.set(backend.id, made)
      else retire(made) // `update` has seen every backend of the newest catalogue: this one is older
      return made.agent
    },
    update(catalogue) {
      retired = retired.filter(({ agent }) => isInUse(agent.stats()))
      for (const [id, entry] of current) {
        const now = catalogue.backends.get(id)
        if (now !== undefined && isServedAlike(entry.backend, now)) continue
        current.delete(id)
        retire(entry)
        if (now !== undefined) current.set(id, open(now))
      }
    },
    stats: () => new Map([...current].map(([id, { agent }]) => [id, agent.stats()])),
    close() {
      isClosed = true
      for (const { agent } of [...current.values(), ...retired]) agent.close()
    },
  }
}

/** Whether one agent can serve both: the same place, reached and bounded in the same way. */
function isServedAlike(one: Backend, other: Backend): boolean {
  if (one === other) return true
  return one.baseUrl === other.baseUrl && one.tls.caPem === other.tls.caPem && one.slots === other.slots
}

const isInUse = ({ slotsTaken, waiters }: AgentStats): boolean => slotsTaken > 0 || waiters > 0
