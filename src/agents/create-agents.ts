import { type AgentSettings, type Backend, type Catalogue, isOwnPlace } from '../domain/index.ts'
import { readAuthorities } from './address.ts'
import { ConnectionRoom } from './connection-room.ts'
import type { Agent, AgentStats } from './contract.ts'
import { type AgentOptions, createAgent, type KeepAliveAgent } from './create-agent.ts'
import { systemLookup } from './lookup.ts'
import type { Outbound } from './outbound.ts'
import { OwnPlaces } from './own-places.ts'
import { createResolver } from './resolver.ts'

/** The agents of all backends, one each, and of accounts' own places while they are in use. */
export interface Agents {
  /** The backend's agent, made on first use. A backend of an older catalogue, still in use by a request, gets its older agent. */
  of(backend: Backend): Agent
  /**
   * A new catalogue, before any request sees it: agents of backends at the same place stay, with their connections, and take over slots
   * and settings; the others keep no connection any more and end with their last request. One that `rests` gives up what it keeps, and opens
   * nothing until a request wants it.
   */
  update(catalogue: Catalogue, settings: AgentSettings, rests?: (backend: Backend) => boolean): void
  stats(): ReadonlyMap<string, AgentStats>
  close(): void
}

interface Entry {
  readonly backend: Backend
  readonly agent: KeepAliveAgent
}

export interface AgentsOptions extends Pick<AgentOptions, 'settings' | 'clock' | 'credentialHeaders'> {
  /** The way to accounts' own places; without it there are none. */
  readonly outbound?: Pick<Outbound, 'send'>
}

/** Makes the agents' registry, keyed by backend id. */
export function createAgents(options: AgentsOptions): Agents {
  const room = new ConnectionRoom(options.settings.connectionsMax)
  const resolver = createResolver({ lookup: systemLookup, clock: options.clock })
  let { settings } = options
  let newest: Catalogue['backends'] | null = null
  const current = new Map<string, Entry>()
  let retired: Entry[] = []
  const ownPlaces = new OwnPlaces(options.outbound ?? null)
  let isClosed = false

  function open(backend: Backend): Entry {
    const entry = { backend, agent: createAgent({ ...options, backend, settings, room, resolver }) }
    if (isClosed) entry.agent.close()
    return entry
  }

  function retire(entry: Entry): void {
    entry.agent.retire()
    retired.push(entry)
  }

  /** Whether the newest catalogue, where one was told of, has this backend at this place. */
  function isNewest(backend: Backend): boolean {
    const now = newest?.get(backend.id)
    return newest === null || (now !== undefined && isSamePlace(now, backend))
  }

  return {
    of(backend) {
      if (isOwnPlace(backend.id)) return ownPlaces.of(backend)
      const entry = current.get(backend.id)
      if (entry !== undefined && isSamePlace(entry.backend, backend)) return entry.agent
      const older = retired.find((other) => isSameBackend(other.backend, backend))
      if (older !== undefined) return older.agent
      const made = open(backend)
      if (isNewest(backend)) current.set(backend.id, made)
      else retire(made)
      return made.agent
    },
    update(catalogue, next, rests = () => false) {
      newest = catalogue.backends
      readAuthorities(newest.values())
      settings = next
      room.connectionsMax = settings.connectionsMax
      const before = [...current.values(), ...retired.filter(({ agent }) => isInUse(agent.stats()))]
      retired = []
      current.clear()
      for (const entry of before) {
        const now = newest.get(entry.backend.id)
        if (now === undefined || !isSamePlace(entry.backend, now)) {
          retire(entry)
          continue
        }
        if (rests(now)) entry.agent.retire()
        entry.agent.revive()
        entry.agent.adjust(settings, now)
        current.set(now.id, { backend: now, agent: entry.agent })
      }
    },
    stats: () => new Map([...current].map(([id, { agent }]) => [id, agent.stats()])),
    close() {
      isClosed = true
      for (const { agent } of [...current.values(), ...retired]) agent.close()
      ownPlaces.close()
    },
  }
}

/** Whether one agent can serve both: the same place, reached in the same way. */
function isSamePlace(one: Backend, other: Backend): boolean {
  return (
    one === other ||
    (one.baseUrl === other.baseUrl &&
      one.tls.caPem === other.tls.caPem &&
      one.tls.client?.certPem === other.tls.client?.certPem &&
      one.tls.client?.keyPem === other.tls.client?.keyPem &&
      one.proxy?.host === other.proxy?.host &&
      one.proxy?.port === other.proxy?.port &&
      one.proxy?.authorization === other.proxy?.authorization)
  )
}

const isSameBackend = (one: Backend, other: Backend): boolean => one.id === other.id && isSamePlace(one, other)

const isInUse = ({ slotsTaken, waiters }: AgentStats): boolean => slotsTaken > 0 || waiters > 0
