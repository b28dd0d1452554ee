import { describe, expect, test } from 'bun:test'
import { GatewayError, type QuarantineRow } from '../../../src/domain/index.ts'
import { createHealth } from '../../../src/health/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { createStoreDouble } from '../../support/store-double.ts'

const BY = { actor: 'key:mkey_1', claim: null }
const WISH = { backend: 'north', reason: 'a flood', forMs: 60_000 }

function world(rows: readonly QuarantineRow[] = []) {
  const clock = fakeClock()
  const store = createStoreDouble()
  return { clock, store, health: createHealth({ rows, writer: store.writer, clock }) }
}

describe('an operator', () => {
  test('takes a backend out and lets it in again; both are in the audit', async () => {
    const { clock, store, health } = world()
    expect(health.exclusion('north')).toBeNull()
    const nowMs = clock.wallMs()
    const row = await health.set(WISH, BY)
    const operator = { by: BY.actor, reason: 'a flood', sinceMs: nowMs, untilMs: nowMs + 60_000 }
    expect(row).toEqual({ backend: 'north', operator, version: 1 })
    expect(health.exclusion('north')).toEqual({ cause: 'operator', ...operator })
    expect(health.exclusion('south')).toBeNull()
    expect(store.tables.quarantine.get('north')).toEqual(row)

    expect(await health.clear('north', BY)).toEqual({ backend: 'north', operator: null, version: 2 })
    expect(health.exclusion('north')).toBeNull()
    expect(store.tables.audit).toMatchObject([
      {
        actor: BY.actor,
        action: 'quarantine.set',
        subject: 'north',
        details: { reason: 'a flood', until_ms: nowMs + 60_000 },
      },
      { actor: BY.actor, action: 'quarantine.clear', subject: 'north' },
    ])
  })

  test('is obeyed until the end, by the clock alone', async () => {
    const { clock, health } = world()
    await health.set(WISH, BY)
    clock.advance(59_999)
    expect(health.exclusion('north')).not.toBeNull()
    clock.advance(1)
    expect(health.exclusion('north')).toBeNull()
  })

  test('may say it again: what was said before is replaced', async () => {
    const { clock, health } = world()
    await health.set(WISH, BY)
    clock.advance(50_000)
    await health.set({ ...WISH, reason: 'still wet', forMs: null }, BY)
    clock.advance(1_000_000)
    expect(health.exclusion('north')).toMatchObject({ reason: 'still wet', untilMs: null })
  })
})

test('memory changes when it is on disk, and not when the disk refuses', async () => {
  const { store, health } = world()
  store.disk.holdBack()
  const writing = health.set(WISH, BY)
  expect(health.exclusion('north')).toBeNull()
  store.disk.fail()
  store.disk.commit()
  store.disk.acknowledge()
  expect(await writing.catch((error: unknown) => error)).toBeInstanceOf(GatewayError)
  expect(health.exclusion('north')).toBeNull()
  store.disk.heal()
  store.disk.letGo()
  await health.set(WISH, BY)
  expect(health.exclusion('north')).not.toBeNull()
})

test('writes that are told of in the wrong order leave the newer row', async () => {
  const { store, health } = world()
  store.disk.holdBack()
  const set = health.set(WISH, BY)
  store.disk.commit()
  const clear = health.clear('north', BY)
  store.disk.commit()
  store.disk.acknowledge(1)
  await clear
  store.disk.acknowledge(0)
  await set
  expect(health.exclusion('north')).toBeNull()
  expect(health.quarantine().get('north')?.version).toBe(2)
})

test('a snapshot that was taken stays as it was', async () => {
  const { health } = world()
  const before = health.quarantine()
  await health.set(WISH, BY)
  expect(before.size).toBe(0)
  expect(health.quarantine().size).toBe(1)
})

describe('rows that were loaded', () => {
  const loaded = (sinceMs: number, untilMs: number | null): QuarantineRow => ({
    backend: 'north',
    version: 3,
    operator: { by: 'local:7', reason: 'a flood', sinceMs, untilMs },
  })

  test('hold on, with the rest of their time', () => {
    const nowMs = fakeClock().wallMs()
    const { health } = world([loaded(nowMs - 1000, nowMs + 9000)])
    expect(health.exclusion('north')).toMatchObject({ untilMs: nowMs + 9000 })
  })

  test('last at most as long as they were meant to, where the clock was set back meanwhile', () => {
    const nowMs = fakeClock().wallMs()
    const { health } = world([loaded(nowMs + 3_600_000, nowMs + 3_610_000)])
    expect(health.exclusion('north')).toMatchObject({ untilMs: nowMs + 10_000 })
    expect(world([loaded(nowMs + 3_600_000, null)]).health.exclusion('north')).toMatchObject({ untilMs: null })
  })
})
