import { describe, expect, test } from 'bun:test'
import { explanationOf, openExplanation, wantsExplanation } from '../../../src/pipeline/explanation.ts'
import { RankBook } from '../../../src/pipeline/rank-book.ts'
import { ask } from '../../support/ask.ts'
import { createHouseDouble, type HouseDouble } from '../../support/house.ts'
import { status } from '../../support/script.ts'
import { completion } from '../../support/sse.ts'
import { ownSecret } from './route/route-kit.ts'
import { callAt } from './support.ts'

const EXPLAIN = { headers: { 'x-anyrouter-explain': '1' } }
const shownBy = (response: Response) => JSON.parse(response.headers.get('x-anyrouter-explain') ?? 'null')

const SKIP = { offer: 'west/acme/m', backend: 'west', rule: 'quarantined', reason: 'it is out', evidence: 'by Ann' }

describe('who asks how a request was routed', () => {
  test('is told the plan, the skips and the attempts, on any answer', async () => {
    await using world = createHouseDouble({ backends: { north: {}, south: {}, west: { enabled: false } } })
    world.agent('north').plays(status(500))
    world.agent('south').plays(completion('Hello', 10, 5))
    const response = await ask(world, {}, EXPLAIN).answer
    expect(shownBy(response)).toEqual({
      model: 'acme/m',
      plan: [
        { offer: 'north/acme/m', backend: 'north' },
        { offer: 'south/acme/m', backend: 'south', behind_by: 'catalogue-order' },
      ],
      skips: [{ offer: 'west/acme/m', backend: 'west', rule: 'enabled', reason: 'the backend is disabled' }],
      attempts: [
        {
          offer: 'north/acme/m',
          backend: 'north',
          outcome: 'failed',
          reason: 'status',
          status: 500,
          ms: 0,
          connection: 'new',
          absorbed: false,
        },
        {
          offer: 'south/acme/m',
          backend: 'south',
          outcome: 'succeeded',
          reason: null,
          status: 200,
          ms: 0,
          connection: 'new',
          absorbed: false,
        },
      ],
    })
    world.agent('south').plays(status(500))
    expect(shownBy(await ask(world, {}, EXPLAIN).answer).attempts).toHaveLength(2)
  })

  test('who does not is not', async () => {
    await using world = createHouseDouble()
    world.agent('north').plays(completion('Hello', 10, 5))
    expect((await ask(world).answer).headers.has('x-anyrouter-explain')).toBe(false)
    expect(wantsExplanation(callAt(world, { headers: { 'x-anyrouter-explain': '0' } }).call)).toBe(false)
  })

  test('on a refusal before the plan there is nothing to tell yet', async () => {
    await using world = createHouseDouble()
    const response = await ask(world, { model: 'none' }, EXPLAIN).answer
    expect([response.status, shownBy(response)]).toEqual([404, { model: null, plan: [], skips: [], attempts: [] }])
  })
})

async function managementKey(world: HouseDouble, scopes: readonly ('read' | 'write' | 'credits')[]): Promise<string> {
  const wish = { name: 'ops', scopes, expiresAtMs: null }
  return (await world.house.accounts.createManagementKey(wish)).secret
}

describe('evidence', () => {
  test('needs a management key that may read', async () => {
    await using world = createHouseDouble()
    const { house } = world
    const reader = await managementKey(world, ['read'])
    const writer = await managementKey(world, ['write'])
    expect(await openExplanation(house, ['sk-ar-v1-x', reader])).toEqual({ withEvidence: true })
    expect(await openExplanation(house, ['sk-ar-v1-x', writer])).toEqual({ withEvidence: false })
    expect(await openExplanation(house, ['sk-ar-v1-x', `${reader}x`])).toEqual({ withEvidence: false })
    expect(await openExplanation(house, [])).toEqual({ withEvidence: false })
  })

  test('is shown with it alone', () => {
    const { call } = callAt(createHouseDouble())
    Object.assign(call, { skips: [SKIP] })
    expect(JSON.parse(explanationOf(call, { withEvidence: true })).skips).toEqual([SKIP])
    expect(explanationOf(call, { withEvidence: false })).not.toContain('Ann')
  })
})

test('names of backends are left out where they are hidden', () => {
  const { call } = callAt(createHouseDouble({ replies: { hideBackends: true } }))
  Object.assign(call, { skips: [SKIP] })
  const text = explanationOf(call, { withEvidence: false })
  expect(text).not.toContain('west')
  expect(JSON.parse(text).skips).toEqual([{ rule: 'quarantined', reason: 'it is out' }])
})

test('it fits into a head: in ASCII, and of long lists the beginning', () => {
  const { call } = callAt(createHouseDouble())
  Object.assign(call, { skips: Array.from({ length: 1000 }, () => ({ ...SKIP, reason: 'é\n' })) })
  const text = explanationOf(call, { withEvidence: false })
  expect(text.length).toBeLessThanOrEqual(6000)
  expect(text).toMatch(/^[\x20-\x7e]+$/)
  const { skips, left_out: left } = JSON.parse(text)
  expect(skips[0].reason).toBe('é\n')
  expect(skips.length + left).toBe(1000)
})

describe('of a call that has all of it', () => {
  const OWN = ownSecret('cred_own')
  const attempt = (credential: string | null, endedUs: number) => ({
    ...{
      number: 1,
      offer: 'north/acme/m',
      backend: 'north',
      credential,
      outcome: 'failed',
      reason: 'reset',
      status: null,
    },
    ...{ startedUs: 1000, endedUs, timing: { connection: 'kept' }, absorbed: true },
  })
  const MOVED = { kind: 'moved', from: 'west', rule: 'order', reason: 'others come first' }

  function told(withEvidence: boolean, hideBackends = false, stickiness: object = MOVED) {
    const world = createHouseDouble({ backends: { north: {}, south: {} }, replies: { hideBackends } })
    const { call } = callAt(world)
    const [north, south] = world.offers()
    if (north === undefined || south === undefined) throw new Error('two offers')
    const plan = [{ offer: north, own: OWN }, { offer: north }, { offer: south }]
    const ranks = new RankBook()
    for (const [key, one] of plan.entries()) ranks.write(one, [{ rule: 'by-price', key }])
    Object.assign(call, { model: 'acme/m', router: 'auto', stickiness, plan, ranks })
    call.skips = [
      { offer: 'west/acme/m', backend: 'west', rule: 'own-credential', reason: 'refused', credential: 'cred_2' },
    ]
    Object.assign(call, { attempts: [attempt('cred_own', 2234), attempt('cred_north', 1004), attempt(null, 1005)] })
    return JSON.parse(explanationOf(call, { withEvidence }))
  }

  test('the account is told of its own credentials, and by what each stands where it does', () => {
    const { plan, skips, attempts, sticky, router } = told(false)
    expect(plan).toEqual([
      { offer: 'north/acme/m', backend: 'north', credential: 'cred_own' },
      { offer: 'north/acme/m', backend: 'north', behind_by: 'by-price' },
      { offer: 'south/acme/m', backend: 'south', behind_by: 'by-price' },
    ])
    expect(skips).toMatchObject([{ credential: 'cred_2', backend: 'west' }])
    const about = { outcome: 'failed', reason: 'reset', status: null, connection: 'kept', absorbed: true }
    const north = { offer: 'north/acme/m', backend: 'north', ...about }
    expect(attempts).toEqual([
      { ...north, ms: 1.23, credential: 'cred_own' },
      { ...north, ms: 0 },
      { ...north, ms: 0.01 },
    ])
    expect([sticky, router]).toEqual([MOVED, 'auto'])
  })

  test('the operator of all credentials and of the keys', () => {
    const { plan, attempts } = told(true)
    expect(attempts.map(({ credential }: { credential: unknown }) => credential)).toEqual([
      'cred_own',
      'cred_north',
      null,
    ])
    expect(plan[2].ranks).toEqual([{ rule: 'by-price', key: 2 }])
  })

  test('no backend is named where they are hidden', () => {
    const whole = told(false, true)
    expect(JSON.stringify(whole)).not.toMatch(/north|south|west/)
    expect(whole.plan[0]).toEqual({ model: 'acme/m', credential: 'cred_own' })
    expect(whole.sticky).toEqual({ kind: 'moved', rule: 'order', reason: 'others come first' })
    expect(told(false, true, { kind: 'kept' }).sticky).toEqual({ kind: 'kept' })
  })
})

test('`true` asks for it as `1` does', async () => {
  await using world = createHouseDouble()
  const asks = (value: string) => wantsExplanation(callAt(world, { headers: { 'x-anyrouter-explain': value } }).call)
  expect(['1', 'true', 'yes', ''].map(asks)).toEqual([true, true, false, false])
})

test('what fits not even with two of each is told as a number', () => {
  const { call } = callAt(createHouseDouble())
  Object.assign(call, { skips: Array.from({ length: 3 }, () => ({ ...SKIP, reason: 'x'.repeat(6000) })) })
  expect(explanationOf(call, { withEvidence: false })).toBe('{"left_out":3}')
})
