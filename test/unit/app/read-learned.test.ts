import { expect, test } from 'bun:test'
import { readLearned } from '../../../src/app/read-learned.ts'
import { GatewayError, type StickyRow } from '../../../src/domain/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { logDouble } from '../../support/log-double.ts'
import { createStoreDouble } from '../../support/store-double.ts'

const LIFE_MS = 1000

test('reads the sessions that still live; what cannot be read is told, and is no reason not to start', async () => {
  const clock = fakeClock()
  const { log, logs } = logDouble()
  const { reader, writer } = createStoreDouble()
  const row: StickyRow = {
    accountId: 'acc',
    session: 's',
    model: 'm',
    backend: 'north',
    cachedTokens: 0,
    usedAtMs: clock.wallMs(),
  }
  writer.learned({
    forgotten: [],
    observed: [],
    sticky: [row, { ...row, session: 'over', usedAtMs: row.usedAtMs - LIFE_MS }],
    expired: null,
  })
  const rooms = { lifeMs: LIFE_MS, clock, log }
  expect(await readLearned(reader, rooms)).toEqual({ observed: [], sticky: [row] })

  const failing = { ...reader, observed: () => Promise.reject(new GatewayError('storage_unavailable', 'torn')) }
  expect(await readLearned(failing, rooms)).toEqual({ observed: [], sticky: [] })
  expect(logs).toMatchObject([{ event: 'learned_unreadable' }])
})
