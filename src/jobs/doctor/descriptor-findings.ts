import { readFile } from 'node:fs/promises'
import { type Finding, fail, ok, warn } from './finding.ts'

const about = { check: 'descriptors', subject: null } as const
const SOFT_LIMIT = /^Max open files +(\d+|unlimited)/m
/** Files, threads, pipes, listeners; idle connections come and go with what is left. */
const OWN = 256
const PER_REQUEST = 2

/** Whether this process may hold as many connections open as the configuration lets requests in: two for each. */
export async function descriptorFindings(requestsInFlightMax: number): Promise<Finding[]> {
  const limit = await limitOf()
  if (limit === null) return [ok(about, 'this system does not tell the limit')]
  const needed = PER_REQUEST * requestsInFlightMax + OWN
  if (limit >= needed) return [ok(about, `up to ${limit} at once, ${needed} are needed at most`)]
  const room = Math.max(0, Math.floor((limit - OWN) / PER_REQUEST))
  const message = `up to ${limit} at once: enough for some ${room} requests in progress, limits.requests_in_flight_max is ${requestsInFlightMax}`
  const advice = `LimitNOFILE=${needed} in the systemd unit, or 'ulimit -n ${needed}' before the start; or lower limits.requests_in_flight_max.`
  return [limit < OWN ? fail(about, message, advice) : warn(about, message, advice)]
}

/** Null where there is no /proc. */
async function limitOf(): Promise<number | null> {
  try {
    const [, soft = ''] = SOFT_LIMIT.exec(await readFile('/proc/self/limits', 'utf8')) ?? []
    if (soft === 'unlimited') return Number.POSITIVE_INFINITY
    return soft === '' ? null : Number(soft)
  } catch {
    return null
  }
}
