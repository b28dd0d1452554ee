import { expect, test } from 'bun:test'
import type { OwnSecret } from '../../../../src/domain/index.ts'
import { NO_PLACES, NOTHING_OBSERVED } from '../../../../src/health/index.ts'
import { captureWorld } from '../../../../src/pipeline/route/capture-world.ts'
import { route } from '../../../../src/pipeline/route/route.ts'
import { createHouseDouble } from '../../../support/house.ts'
import { NOW_MS, ownSecret, worldOf } from './route-kit.ts'
import { modelWith, routerWorld } from './router-kit.ts'
import { PLAIN } from './wish-kit.ts'

test('a world is one moment: what is written later is not in it', async () => {
  await using double = createHouseDouble()
  const { context } = worldOf()
  const before = captureWorld(double.house, context)
  expect(before).toMatchObject({ context, nowMs: double.clock.wallMs() })
  expect(before.catalogue).toBe(double.house.catalogue())

  const by = { actor: 'local:7', claim: null }
  await double.house.health.set({ backend: 'north', reason: 'a flood', forMs: null }, by)
  double.clock.advance(5)
  const after = captureWorld(double.house, context)
  expect(before.quarantine.size).toBe(0)
  expect(after.quarantine.get('north')?.operator?.reason).toBe('a flood')
  expect(after.nowMs - before.nowMs).toBe(5)
})

test('it has what the operator says and what is known of the account’s own credentials', async () => {
  await using double = createHouseDouble({ routing: { sort: 'price' }, money: { byokFeeBps: 250 } })
  const { catalogue, settings, health } = double.house
  const [well, ill] = [ownSecret('cred_1'), ownSecret('cred_2')]
  const fault = { cause: 'denied', reason: null, sinceMs: NOW_MS - 5, untilMs: NOW_MS + 5 } as const
  const places = new Map([['acme/m', { backend: 'north', cachedTokens: 7 }]])
  const asked: unknown[] = []
  const seen = {
    catalogue,
    settings,
    health: {
      triesLeastBad: () => true,
      nowMs: () => NOW_MS,
      ownFault: ({ id }: OwnSecret) => (id === ill.id ? fault : null),
      quarantine: () => health.quarantine(),
      coolings: () => health.coolings('acc'),
      observed: () => health.observed(),
      sessions: {
        of: (...of: unknown[]) => {
          asked.push(of)
          return places
        },
      },
    },
  }
  const { context } = worldOf({ own: [well, ill] })
  expect(captureWorld(seen, context)).toMatchObject({ sort: 'price', ownFeeBps: 250, triesLeastBad: true })
  expect([...captureWorld(seen, context).ownFaults]).toEqual([['cred_2', fault]])
  expect(captureWorld(seen, worldOf().context).ownFaults.size).toBe(0)
  expect([captureWorld(seen, context).sticky, asked]).toEqual([NO_PLACES, []])
  expect([captureWorld(seen, context, 'session').sticky, asked]).toEqual([places, [['acc', 'session']]])
})

test('a request for a router captures one world, and every branch is handed that one', async () => {
  await using double = createHouseDouble()
  const { settings } = double.house
  const counts = { catalogue: 0, quarantine: 0, coolings: 0, observed: 0, sessions: 0 }
  const { world: wide } = routerWorld(Array.from({ length: 16 }, (_, at) => modelWith(`m${at}`)))
  const counted = {
    settings,
    catalogue: () => {
      counts.catalogue++
      return wide.catalogue
    },
    health: {
      triesLeastBad: () => false,
      nowMs: () => NOW_MS,
      ownFault: () => null,
      quarantine: () => {
        counts.quarantine++
        return new Map()
      },
      coolings: () => {
        counts.coolings++
        return new Map()
      },
      observed: () => {
        counts.observed++
        return NOTHING_OBSERVED
      },
      sessions: {
        of: () => {
          counts.sessions++
          return NO_PLACES
        },
      },
    },
  }
  const plan = route(captureWorld(counted, wide.context, 'session'), { ...PLAIN, model: 'r', session: 'session' })
  expect(plan.candidates).toHaveLength(8)
  expect(counts).toEqual({ catalogue: 1, quarantine: 1, coolings: 1, observed: 1, sessions: 1 })
})
