import { expect, test } from 'bun:test'
import { PROOF_MS_MAX, provenInTime } from '../../../src/app/proven-in-time.ts'
import { GatewayError } from '../../../src/domain/index.ts'
import type { VerifyReport } from '../../../src/store/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const REPORT: VerifyReport = {
  clean: false,
  faults: ['account a: 1 is not 2'],
  accounts: 1,
  entries: 1,
  settlements: 2,
  openHolds: 0,
  balanceSum: '0',
}

const proving = (verify: () => Promise<VerifyReport>) => {
  const clock = fakeClock()
  const stats = () => ({ openHolds: 3, accountsOpen: 1, leaks: 0 })
  return { clock, end: provenInTime({ reader: { verify }, ledger: { stats }, clock }) }
}

test('what was found in time is told as it is', async () => {
  const { end } = proving(async () => REPORT)
  expect(await end).toEqual({ ...REPORT, isProven: true })
})

test('a ledger that takes longer is not waited for, and nothing is claimed of it but what is known', async () => {
  const { end, clock } = proving(() => new Promise(() => {}))
  clock.advance(PROOF_MS_MAX)
  expect(await end).toEqual({ clean: true, faults: [], openHolds: 3, isProven: false })
})

test('one that cannot be read is a fault, and no reason to leave the store open', async () => {
  const unread = new GatewayError('storage_unavailable', 'Later.', { internal: 'disk I/O error' })
  const { end } = proving(() => Promise.reject(unread))
  expect(await end).toEqual({
    clean: false,
    faults: ['it cannot be added up: disk I/O error'],
    openHolds: 3,
    isProven: false,
  })
})
