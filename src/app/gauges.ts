import type { Exclusion } from '../health/index.ts'
import type { Family, PlainFamily } from '../telemetry/index.ts'
import { observedGauges } from './observed-gauges.ts'
import type { Rooms } from './open-rooms.ts'
import { pathGauges } from './path-gauges.ts'

type Series = PlainFamily['series']

/** What stands in the rooms' own figures, read when it is asked for. */
export const gauges = (rooms: Pick<Rooms, 'house' | 'store'>): readonly Family[] => [
  ...trafficGauges(rooms),
  ...backendGauges(rooms),
  ...quarantineGauges(rooms),
  ...pathGauges(rooms.house.agents),
  ...observedGauges(rooms.house),
  ...storeGauges(rooms),
]

function trafficGauges({ house: { traffic } }: Pick<Rooms, 'house'>): Family[] {
  return [
    gauge('anyrouter_requests_in_flight', 'Requests in progress, streams among them.', traffic.inFlight),
    gauge('anyrouter_streams_in_flight', 'Streams in progress.', traffic.streams),
    gauge('anyrouter_waiters', 'Requests in line for a slot.', traffic.waiters),
    gauge('anyrouter_draining', '1 while no new work is taken.', Number(traffic.draining)),
  ]
}

function backendGauges({ house }: Pick<Rooms, 'house'>): Family[] {
  const stats = [...house.agents.stats()]
  const each = (read: (one: (typeof stats)[number][1]) => number): Series =>
    stats.map(([backend, one]) => ({ labels: { backend }, value: read(one) }))
  const inState = (state: string, read: (one: (typeof stats)[number][1]) => number): Series =>
    stats.map(([backend, one]) => ({ labels: { backend, state }, value: read(one) }))
  return [
    family(
      'gauge',
      'anyrouter_slots',
      'Requests a backend may have in progress.',
      each(({ slots }) => slots),
    ),
    family(
      'gauge',
      'anyrouter_slots_taken',
      'Of them, those taken.',
      each(({ slotsTaken }) => slotsTaken),
    ),
    family(
      'gauge',
      'anyrouter_backend_waiters',
      'Requests in line at a backend; one may be in line at several.',
      each(({ waiters }) => waiters),
    ),
    family('gauge', 'anyrouter_connections', 'Connections to a backend, by state.', [
      ...inState('busy', ({ connectionsOpen, connectionsIdle }) => connectionsOpen - connectionsIdle),
      ...inState('idle', ({ connectionsIdle }) => connectionsIdle),
      ...inState('dialling', ({ connectionsDialling }) => connectionsDialling),
    ]),
    family(
      'counter',
      'anyrouter_connections_opened_total',
      'Connections opened to a backend.',
      each(({ connectionsOpened }) => connectionsOpened),
    ),
    family(
      'counter',
      'anyrouter_resends_total',
      'Requests sent a second time because a kept connection was already closed.',
      each(({ resends }) => resends),
    ),
  ]
}

/** As a record, so that none can be forgotten. */
const CAUSES: Readonly<Record<Exclusion['cause'], true>> = {
  operator: true,
  failures: true,
  throttle: true,
  credentials: true,
}

function quarantineGauges({ house: { catalogue, health } }: Pick<Rooms, 'house'>): Family[] {
  const series = [...catalogue().backends.keys()].flatMap((backend) => {
    const out = health.exclusion(backend)?.cause ?? null
    return Object.keys(CAUSES).map((cause) => ({ labels: { backend, cause }, value: Number(cause === out) }))
  })
  const name = 'anyrouter_backend_quarantined'
  return [
    family('gauge', name, '1 while a backend is out, by the cause that lasts longest.', series),
    gauge('anyrouter_quarantine_rows', 'Backends with a row of quarantine, in force or not.', health.quarantine().size),
  ]
}

function storeGauges({ house, store }: Pick<Rooms, 'house' | 'store'>): Family[] {
  const ledger = house.ledger.stats()
  const writer = store.writer.stats()
  return [
    gauge('anyrouter_holds_open', 'Money set aside for requests in progress, in holds.', ledger.openHolds),
    counter('anyrouter_holds_leaked_total', 'Holds that no request owned any more: each is a bug.', ledger.leaks),
    gauge('anyrouter_accounts_open', 'Accounts in memory.', ledger.accountsOpen),
    counter(
      'anyrouter_writer_batches_total',
      'Transactions of the writer, each one wait for the disk.',
      writer.batches,
    ),
    counter('anyrouter_writer_items_total', 'Holds, settlements, records and changes in them.', writer.items),
    gauge('anyrouter_writer_queued', 'Of them, those not on disk yet.', writer.queued),
    counter('anyrouter_writer_failed_commits_total', 'Transactions the disk did not take.', writer.failedCommits),
    gauge('anyrouter_writer_accepting', '0 while requests are refused (503).', Number(store.writer.accepting())),
  ]
}

const family = (type: 'gauge' | 'counter', name: string, help: string, series: Series): Family => ({
  name,
  help,
  type,
  series,
})

const gauge = (name: string, help: string, value: number): Family => family('gauge', name, help, [{ value }])
const counter = (name: string, help: string, value: number): Family => family('counter', name, help, [{ value }])
