import { expect, test } from 'bun:test'
import type { Outcome } from '../../../../src/domain/index.ts'
import { passedOver } from '../../../../src/pipeline/dispatch/passed-over.ts'
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
