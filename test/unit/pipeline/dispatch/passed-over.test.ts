import { expect, spyOn, test } from 'bun:test'
import type { CredentialFault, Outcome } from '../../../../src/domain/index.ts'
import { passedOver } from '../../../../src/pipeline/dispatch/passed-over.ts'
import { faultReason } from '../../../../src/pipeline/fault-reason.ts'
import { ownSecret } from '../route/route-kit.ts'
import { candidatesOf } from '../support.ts'
import { houseOf } from './dispatch-kit.ts'

const FAILED: Outcome = { kind: 'failed', reason: 'status', status: 502, message: 'answered with status 502' }

test('says whether a backend is full, has its one trial, or is out, and then why and until when', async () => {
  await using world = houseOf(1)
  const { health } = world.house
  const [candidate] = candidatesOf(world)
  if (candidate === undefined) throw new Error('no candidate')
  const { backend } = candidate.offer
  const skip = () => passedOver(world.house, candidate)
  const about = { offer: candidate.offer.id, backend: 'north' }
  expect(skip()).toEqual({ ...about, rule: 'full', reason: 'every slot of the backend is taken' })

  for (let at = 0; at < 5; at++) {
    const claim = health.claim(backend, false)
    if (typeof claim === 'string') throw new Error(claim)
    const sent = { claim, offer: 'north/m', accountId: 'acc', credential: null }
    health.attemptEnded({ ...sent, outcome: FAILED, sent: true, blame: 'backend' })
  }
  const untilMs = health.exclusion('north')?.untilMs ?? 0
  expect(skip()).toEqual({
    ...about,
    rule: 'quarantined',
    reason: 'the backend was quarantined meanwhile',
    evidence: 'failures: failed (status): answered with status 502',
    untilMs,
  })

  world.clock.advance(untilMs - world.clock.wallMs())
  const trial = health.claim(backend, false)
  expect(skip()).toMatchObject({ rule: 'quarantined', reason: 'another request has the one trial of the backend' })
  if (typeof trial !== 'string') health.release(trial)
})

test('one that an operator took out until it is cleared has no end', async () => {
  await using world = houseOf(1)
  const [candidate] = candidatesOf(world)
  if (candidate === undefined) throw new Error('no candidate')
  const by = { actor: 'local:7', claim: null }
  await world.house.health.set({ backend: 'north', reason: 'a flood', forMs: null }, by)
  expect(passedOver(world.house, candidate)).toEqual({
    ...{ offer: candidate.offer.id, backend: 'north', rule: 'quarantined' },
    reason: 'the backend was quarantined meanwhile',
    evidence: 'operator: a flood',
  })
})

test('an own credential that is in fault is named with its fault', async () => {
  await using world = houseOf(1)
  const [candidate] = candidatesOf(world)
  if (candidate === undefined) throw new Error('no candidate')
  const own = ownSecret('cred_1')
  const fault: CredentialFault = { cause: 'denied', reason: null, sinceMs: 1, untilMs: 2 }
  const ownFault = spyOn(world.house.health, 'ownFault').mockReturnValue(fault)
  expect(passedOver(world.house, { ...candidate, own })).toMatchObject({
    rule: 'own-credential',
    credential: 'cred_1',
    ...faultReason(fault),
  })
  expect(ownFault.mock.calls).toEqual([[own]])
  expect(passedOver(world.house, candidate)).toMatchObject({ rule: 'full' })
})
