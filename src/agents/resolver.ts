import { isIP } from 'node:net'
import { type Clock, errorText, forgetOldest, hasFilesLeft } from '../lib/index.ts'
import { addressOrder } from './address-order.ts'
import type { Lookup } from './lookup.ts'

/** What a name stands for now; the message of a failure names no secret. */
export type Resolved =
  | { readonly kind: 'addresses'; readonly ips: readonly string[] }
  | { readonly kind: 'failed'; readonly reason: 'dns' | 'address'; readonly message: string }

/** The one cache of names, for all agents. */
export interface Resolver {
  /** Addresses in the order they are to be tried: at once when they are known, an old answer too, while a new one is fetched. */
  find(host: string): Resolved | Promise<Resolved>
  /** An address that was refused or too slow: it is tried last for ten minutes. */
  demote(ip: string): void
  /** No address of this name could be reached: what is known is old from now on. */
  doubt(host: string): void
}

/** What a name server says of the life of its answer is believed between these. */
const LIFE_S_MIN = 5
const LIFE_S_MAX = 300
/** Where nothing is said. */
const LIFE_S_UNSAID = 30
const FAILURE_LIFE_S = 2
/** How long after its life an answer still serves when no new one can be had (RFC 8767). */
const STALE_S_MAX = 3600
const DEMOTED_S = 600
const NAMES_MAX = 1024
const US = 1_000_000

interface Name {
  ips: readonly string[]
  freshUntilUs: number
  usableUntilUs: number
  /** Set after a failure: nobody asks again before this. */
  failedUntilUs: number
  message: string
  asking: Promise<Resolved> | null
}

/** Makes the cache over a source of addresses. */
export function createResolver({ lookup, clock }: { readonly lookup: Lookup; readonly clock: Clock }): Resolver {
  const names = new Map<string, Name>()
  const demotedUntilUs = new Map<string, number>()

  const isDemoted = (ip: string): boolean => (demotedUntilUs.get(ip) ?? 0) > clock.monotonicUs()

  function entryOf(host: string): Name {
    const known = names.get(host)
    if (known !== undefined) return known
    const made: Name = {
      ips: [],
      freshUntilUs: 0,
      usableUntilUs: 0,
      failedUntilUs: 0,
      message: '',
      asking: null,
    }
    names.set(host, made)
    forgetOldest(names, NAMES_MAX)
    return made
  }

  async function ask(host: string, name: Name): Promise<Resolved> {
    try {
      const found = await lookup(host)
      if (found.length === 0) throw new Error(`${host} has no address`)
      const lifeS = Math.min(...found.map(({ ttlS }) => clampLife(ttlS)))
      const nowUs = clock.monotonicUs()
      name.ips = [...new Set(found.map(({ ip }) => ip))]
      name.freshUntilUs = nowUs + lifeS * US
      name.usableUntilUs = name.freshUntilUs + STALE_S_MAX * US
    } catch (error) {
      name.message = errorText(error)
      if (hasFilesLeft()) name.failedUntilUs = clock.monotonicUs() + FAILURE_LIFE_S * US
    } finally {
      name.asking = null
    }
    return answerOf(name)
  }

  function answerOf(name: Name): Resolved {
    if (name.usableUntilUs > clock.monotonicUs()) return { kind: 'addresses', ips: addressOrder(name.ips, isDemoted) }
    return { kind: 'failed', reason: 'dns', message: name.message }
  }

  return {
    find(host) {
      if (isIP(host) !== 0) return { kind: 'addresses', ips: [host] }
      const name = entryOf(host)
      const nowUs = clock.monotonicUs()
      if (name.freshUntilUs > nowUs || name.failedUntilUs > nowUs) return answerOf(name)
      name.asking ??= ask(host, name)
      return name.usableUntilUs > nowUs ? answerOf(name) : name.asking
    },
    demote(ip) {
      demotedUntilUs.delete(ip)
      demotedUntilUs.set(ip, clock.monotonicUs() + DEMOTED_S * US)
      forgetOldest(demotedUntilUs, NAMES_MAX)
    },
    doubt(host) {
      const name = names.get(host)
      if (name !== undefined) name.freshUntilUs = 0
    },
  }
}

const clampLife = (ttlS: number | null): number => Math.min(LIFE_S_MAX, Math.max(LIFE_S_MIN, ttlS ?? LIFE_S_UNSAID))
