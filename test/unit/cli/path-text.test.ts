import { expect, test } from 'bun:test'
import { pathText } from '../../../src/cli/path-text.ts'

const BACKEND = {
  id: 'acme-ca',
  url: 'https://ca.acme.example/v1',
  slots: 64,
  slots_busy: 3,
  waiters: 1,
  connections_open: 5,
  connections_idle: 2,
}
const PATH = {
  kept_warm: true,
  requests_sent: 1000,
  reused_percent: 98.7,
  resends: 2,
  pings: 40,
  pings_failed: 1,
  ping_state: 'on',
  last_ping: { at_ms: 0, result: 'answered', status: 404, took_us: 101_234 },
  learned_idle_ms: 4496.334999999998,
  connect: { p50_us: 205_000, p95_us: 310_500 },
  first_byte: { p50_us: 101_000, p95_us: 900_000 },
}

test('every figure of a way that is used', () => {
  expect(pathText({ ...BACKEND, path: PATH })).toBe(
    [
      'backend      acme-ca',
      'url          https://ca.acme.example/v1',
      'slots        3 of 64 taken, 1 waiting',
      'connections  5 open: 3 busy, 2 idle',
      'kept warm    yes',
      'requests     1000, 98.7% on kept connections, 2 sent twice',
      'pings        40, 1 failed, on',
      'last ping    answered with 404 after 101.2 ms at 1970-01-01T00:00:00.000Z',
      'idle life    learned: 4.5 s',
      'connect      median 205.0 ms, 95 % within 310.5 ms',
      'first byte   median 101.0 ms, 95 % within 900.0 ms',
      '',
    ].join('\n'),
  )
})

test('one that is not used yet, and one of which little is known', () => {
  expect(pathText({ ...BACKEND, path: null })).toContain('requests     none yet')
  const little = { ...PATH, last_ping: null, learned_idle_ms: null, connect: null, first_byte: null }
  const said = pathText({ ...BACKEND, path: little })
  for (const line of ['last ping    none yet', 'idle life    nothing learned', 'connect      none yet'])
    expect(said).toContain(line)
})
