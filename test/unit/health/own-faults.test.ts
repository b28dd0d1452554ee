import { describe, expect, test } from 'bun:test'
import type { FoundFault, Outcome, OwnSecret } from '../../../src/domain/index.ts'
import { OwnFaults } from '../../../src/health/own-faults.ts'
import { createSteadyClock } from '../../../src/lib/steady-clock.ts'
import { type FakeClock, fakeClock } from '../../support/fake-clock.ts'
import { QUARANTINE } from '../../support/health-double.ts'
import { logDouble } from '../../support/log-double.ts'

const credential = (more: Partial<OwnSecret> = {}): OwnSecret => ({
  id: 'cred_1',
  accountId: 'acc',
  provider: 'acme',
  baseUrl: null,
  sealed: 'sealed-1',
  secret: 'the-secret',
  fault: null,
  ...more,
})
const said = (status: number) => ({ status, message: '', type: null, code: null, param: null })
const denied = (status: number): Outcome => ({ kind: 'denied', error: said(status) })
const throttled = (retryAfterMs: number | null): Outcome => ({ kind: 'throttled', error: said(429), retryAfterMs })
const failed: Outcome = { kind: 'failed', reason: 'reset', status: null, message: 'gone' }

function kit(clock: FakeClock = fakeClock()) {
  const written: FoundFault[] = []
  const { log, logs } = logDouble()
  const steady = createSteadyClock(clock)
  const faults = new OwnFaults({
    writer: { foundFault: (found) => written.push(found) },
    steady,
    random: { fraction: () => 0 },
    settings: () => QUARANTINE,
    log,
  })
  return { clock, faults, written, logs, nowMs: steady.nowMs }
}

describe('a fault of an own credential', () => {
  test('begins at once with a 401, is written with its secret’s mark, and doubles', () => {
    const { faults, written, clock, logs, nowMs } = kit()
    const own = credential()
    const sinceMs = nowMs()
    faults.blamed(own, denied(401))
    const fault = { cause: 'denied', reason: 'denied: status 401', sinceMs, untilMs: sinceMs + 15_000 }
    expect(faults.of(own)).toEqual(fault)
    expect(written).toEqual([{ id: 'cred_1', sealed: 'sealed-1', fault }])
    faults.blamed(own, denied(401)) // one that was under way
    expect(written).toHaveLength(1)
    clock.advance(15_000)
    expect(faults.of(own)).toBeNull()
    faults.blamed(own, denied(401))
    expect(faults.of(own)).toEqual({ ...fault, untilMs: nowMs() + 30_000 })
    expect(JSON.stringify([logs, written])).not.toContain('the-secret')
  })

  test('when its time is over one request tries it, and the others pass it over until that has ended', () => {
    const { faults, clock } = kit()
    const own = credential()
    expect(faults.beginTrial(own)).toBe(false) // in no fault: as many as there are
    faults.blamed(own, denied(401))
    clock.advance(15_000)
    expect(faults.of(own)).toBeNull()
    expect(faults.beginTrial(own)).toBe(true)
    expect(faults.of(own)).toMatchObject({ cause: 'denied' })
    faults.endTrial(own) // it proved nothing: the caller left
    expect(faults.of(own)).toBeNull()
    expect(faults.beginTrial(own)).toBe(true)
    faults.accepted(own)
    faults.endTrial(own)
    expect(faults.of(own)).toBeNull()
    expect(faults.beginTrial(own)).toBe(false)
  })

  test('obeys Retry-After, and is soon over without one', () => {
    const { faults, nowMs } = kit()
    faults.blamed(credential(), throttled(40_000))
    expect(faults.of(credential())?.untilMs).toBe(nowMs() + 40_000)
    const other = credential({ id: 'cred_2' })
    faults.blamed(other, throttled(null))
    expect(faults.of(other)?.untilMs).toBe(nowMs() + 1000)
  })

  test.each([
    ['403', denied(403), 'denied'],
    ['failures', failed, 'failures'],
  ] as const)('takes five in a row of %s; a success begins anew', (_, outcome, cause) => {
    const { faults, written, logs, clock } = kit()
    const own = credential()
    for (let at = 0; at < 4; at++) faults.blamed(own, outcome)
    faults.accepted(own)
    for (let at = 0; at < 4; at++) faults.blamed(own, outcome)
    expect(faults.of(own)).toBeNull()
    expect(written).toEqual([])
    faults.blamed(own, outcome)
    expect(faults.of(own)).toMatchObject({ cause })
    expect(written).toHaveLength(1)
    expect(logs).toMatchObject([
      { event: 'own_credential_out', fields: { credential: 'cred_1', cause, for_ms: 15_000 } },
    ])
    clock.advance(15_000)
    faults.blamed(own, outcome) // one is enough where it has not served since
    expect(faults.of(own)).toMatchObject({ cause, untilMs: expect.any(Number) })
    expect(written).toHaveLength(2)
  })

  test('ends with a success that began after it, and not with one from before', () => {
    const { faults, written, clock } = kit()
    const own = credential()
    faults.blamed(own, denied(401))
    faults.accepted(own)
    expect(faults.of(own)).not.toBeNull()
    clock.advance(15_000)
    faults.accepted(own)
    expect(written.at(-1)).toEqual({ id: 'cred_1', sealed: 'sealed-1', fault: null })
    faults.blamed(own, denied(403))
    expect(faults.of(own)).toBeNull()
  })

  test('says nothing of another secret, and more than an older row', () => {
    const { faults, clock } = kit()
    const own = credential()
    faults.blamed(own, denied(401))
    expect(faults.of(credential({ sealed: 'sealed-2' }))).toBeNull()
    expect(faults.of(credential())).not.toBeNull()
    clock.advance(15_000)
    faults.accepted(own)
    const stale = { cause: 'denied', reason: null, sinceMs: 0, untilMs: Number.MAX_SAFE_INTEGER }
    expect(faults.of(credential({ fault: stale }))).toBeNull()
  })

  test('is as it was read after a restart, never longer than the longest; the next is longer', () => {
    const { faults, nowMs, clock } = kit()
    const sinceMs = nowMs() - 1000
    const fault = { cause: 'denied', reason: 'no', sinceMs, untilMs: sinceMs + 20_000 }
    expect(faults.of(credential({ fault }))).toEqual(fault)
    const endless = { ...fault, untilMs: nowMs() + 10_000_000 }
    expect(faults.of(credential({ id: 'cred_2', fault: endless }))?.untilMs).toBe(nowMs() + QUARANTINE.cooldownMaxMs)
    clock.advance(19_000)
    faults.blamed(credential({ fault }), denied(401))
    expect(faults.of(credential({ fault }))?.untilMs).toBe(nowMs() + 40_000)
  })
})
