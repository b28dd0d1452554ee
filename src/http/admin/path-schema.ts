import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields } from '../document/fields.ts'

const quantiles = (description: string) =>
  fields.orNull(
    Type.Object({ p50_us: Type.Integer(), p95_us: Type.Integer(), samples: Type.Integer() }, { title: 'Quantiles' }),
    description,
  )

const lastPing = Type.Object(
  {
    at_ms: fields.atMs(),
    result: fields.oneOf('answered', 'closed', 'silent'),
    status: fields.orNull(Type.Integer(), 'Any status says that the path is alive.'),
    took_us: Type.Integer(),
  },
  { title: 'LastPing' },
)

/** How the way to a backend is doing. */
export const pathSchema = Type.Object(
  {
    kept_warm: Type.Boolean({ description: 'Connections are kept open and pinged now.' }),
    connections_dialling: Type.Integer(),
    requests_sent: Type.Integer(),
    reused_percent: fields.orNull(Type.Number(), 'Of the requests, those that found an open connection.'),
    resends: Type.Integer(),
    pings: Type.Integer(),
    pings_failed: Type.Integer(),
    ping_state: Type.Unsafe({
      ...fields.oneOf('on', 'off', 'costly'),
      description: '`costly`: it closes the connections it is pinged on, so it is not pinged for ten minutes.',
    }),
    last_ping: fields.orNull(lastPing),
    learned_idle_ms: fields.orNull(Type.Number(), 'How long it leaves idle connections open, learned from its closes.'),
    connect: quantiles('Name, connect and TLS together, of the last connections.'),
    first_byte: quantiles("From the request's last byte to the answer's first, of the last requests."),
  },
  { title: 'Path' },
)

export const PATH_EXAMPLE = {
  kept_warm: true,
  connections_dialling: 0,
  requests_sent: 2,
  reused_percent: 50,
  resends: 0,
  pings: 4,
  pings_failed: 0,
  ping_state: 'on',
  last_ping: { at_ms: examples.atMs, result: 'answered', status: 200, took_us: 20_400 },
  learned_idle_ms: null,
  connect: { p50_us: 310, p95_us: 310, samples: 1 },
  first_byte: { p50_us: 20_300, p95_us: 21_000, samples: 2 },
}
