import { describe, expect, test } from 'bun:test'
import { route } from '../../../../../src/pipeline/route/index.ts'
import { NOW_MS, ownSecret, worldOf } from '../route-kit.ts'

const fault = { cause: 'denied', reason: 'denied: status 401', sinceMs: NOW_MS, untilMs: NOW_MS + 5000 }

describe('an own credential', () => {
  test('in fault is passed over with its evidence; the next and the operator’s stay', () => {
    const world = worldOf({ own: [ownSecret('cred_1'), ownSecret('cred_2')], ownFaults: { cred_1: fault } })
    const { candidates, skips } = route(world, { model: 'acme/small' })
    expect(candidates.map(({ own }) => own?.id)).toEqual(['cred_2', undefined])
    expect(skips.filter(({ rule }) => rule === 'own-credential')).toMatchObject([
      { offer: 'south/acme/small', credential: 'cred_1', untilMs: NOW_MS + 5000, evidence: expect.any(String) },
    ])
  })

  test('needs no price', () => {
    const { candidates, skips } = route(worldOf({ own: [ownSecret('cred_1')] }), { model: 'acme/unsold' })
    expect(candidates.map(({ own }) => own?.id)).toEqual(['cred_1', 'cred_1'])
    expect(skips.map(({ rule }) => rule)).toEqual(['priced', 'priced'])
  })

  test('does not help where the backend itself is out; the least bad is the operator’s', () => {
    const world = worldOf({ own: [ownSecret('cred_1')], out: { south: null } })
    expect(route(world, { model: 'acme/small' }).candidates).toEqual([])
  })
})
