import { describe, expect, test } from 'bun:test'
import { askKeeper, type KeeperQuestion } from '../../../../src/pipeline/kept/ask-keeper.ts'
import { createHouseDouble, type HouseSpec } from '../../../support/house.ts'
import { end, json, send, status } from '../../../support/script.ts'
import { callAt } from '../support.ts'

function begin(question: Partial<KeeperQuestion> = {}, spec: HouseSpec = {}) {
  const world = createHouseDouble({ backends: { north: { slots: 1 } }, ...spec })
  const calling = callAt(world)
  const backend = world.offers()[0]?.backend
  if (backend === undefined) throw new Error('no backend')
  const ask = () =>
    askKeeper(world.house, calling.call, {
      backend,
      credential: { id: 'main', secret: 'sekret' },
      method: 'GET',
      target: '/files/a',
      accept: 'application/json',
      body: null,
      isLive: false,
      ...question,
    })
  calling.call.clock.enter('wait')
  return { world, ...calling, ask, agent: world.agent('north') }
}

test('a question goes out with the credential; its whole answer comes back, whatever its status', async () => {
  const { world, ask, agent, listeners } = begin()
  await using _ = world
  const asked = ask()
  const exchange = await agent.next()
  expect(exchange.request).toMatchObject({ method: 'GET', body: null })
  expect(exchange.request.target).toEndWith('/files/a')
  expect(exchange.request.headers).toContainEqual(['authorization', 'Bearer sekret'])
  exchange.play(status(404, 'gone'))
  const answer = await asked
  expect(answer).toMatchObject({ kind: 'whole', head: { status: 404 } })
  expect(listeners()).toBe(0)
})

test.each([
  ['GET', 'stale'],
  ['POST', 'never'],
  ['DELETE', 'never'],
] as const)('%s on a connection that was closed: sent once more %s', async (method, resend) => {
  const { world, ask, agent } = begin({ method })
  await using _ = world
  const asked = ask()
  const exchange = await agent.next()
  expect(exchange.request.resend).toBe(resend)
  exchange.play(json({}))
  await asked
})

test('a whole answer is whole: its pieces in their order, and no more of them than are read', async () => {
  const { world, ask, agent } = begin()
  await using _ = world
  const asked = ask()
  ;(await agent.next()).play({ status: 200, headers: {} }, send('one, '), send('two'), end())
  const answer = await asked
  expect(answer.kind === 'whole' && Buffer.from(answer.body).toString()).toBe('one, two')
  const large = ask()
  const exchange = await agent.next()
  exchange.play({ status: 200, headers: {} })
  const piece = send('x'.repeat(16 * 1024 * 1024))
  for (let n = 0; n < 4; n++) exchange.play(piece)
  expect(exchange.state).toBe('open')
  exchange.play(send('x'))
  await expect(large).rejects.toMatchObject({ code: 'provider_failed' })
  expect(exchange.state).toBe('aborted')
  expect(agent.stats().slotsTaken).toBe(0)
})

test.each([
  ['an error', status(404, 'gone')],
  ['an empty one', status(200, '')],
])('what is asked for as it comes is whole where it is %s', async (_name, answered) => {
  const { world, ask, agent, listeners } = begin({ isLive: true })
  await using _ = world
  const asked = ask()
  ;(await agent.next()).play(answered)
  expect((await asked).kind).toBe('whole')
  expect([agent.stats().slotsTaken, listeners(), world.clock.timers]).toEqual([0, 0, 0])
})

test('a live answer waits for who reads it, and is cut by no limit of the whole', async () => {
  const { world, ask, agent, listeners } = begin({ isLive: true })
  await using _ = world
  const asked = ask()
  const exchange = await agent.next()
  exchange.play({ status: 200, headers: { 'content-length': '3' } })
  const answer = await asked
  if (answer.kind !== 'live') throw new Error('it is whole')
  expect([exchange.isPaused, listeners(), world.clock.timers]).toEqual([true, 0, 0])
  const failures: string[] = []
  answer.attach({ body() {}, end() {}, failure: ({ message }) => failures.push(message) })
  expect(exchange.isPaused).toBe(false)
  exchange.fail('reset')
  expect(failures).toEqual(['told to fail: reset'])
  answer.slot.agent.release(answer.slot)
})

test('a live answer is handed on from its head, with its slot', async () => {
  const { world, ask, agent } = begin({ isLive: true })
  await using _ = world
  const asked = ask()
  const exchange = await agent.next()
  exchange.play({ status: 200, headers: {} }, send('one'))
  const answer = await asked
  if (answer.kind !== 'live') throw new Error('it is whole')
  const seen: string[] = []
  answer.attach({
    body: (bytes) => seen.push(Buffer.from(bytes).toString()),
    end: () => seen.push('end'),
    failure: ({ message }) => seen.push(message),
  })
  exchange.play(send('two'), { end: true })
  expect(seen).toEqual(['one', 'two', 'end'])
  answer.slot.agent.release(answer.slot)
})

describe('what keeps it from being answered', () => {
  test('no connection', async () => {
    const { world, ask, agent } = begin()
    await using _ = world
    const asked = ask()
    ;(await agent.next()).unsent()
    await expect(asked).rejects.toMatchObject({ code: 'provider_unreachable' })
  })

  test('an answer that breaks off', async () => {
    const { world, ask, agent } = begin()
    await using _ = world
    const asked = ask()
    ;(await agent.next()).fail('reset')
    await expect(asked).rejects.toMatchObject({ code: 'provider_failed' })
  })

  test('time', async () => {
    const { world, ask, agent } = begin()
    await using _ = world
    const asked = ask()
    await agent.next()
    world.clock.advance(600_000)
    await expect(asked).rejects.toMatchObject({ code: 'provider_timeout' })
  })

  test('its caller, who leaves', async () => {
    const { world, ask, agent, leave, listeners } = begin()
    await using _ = world
    const asked = ask()
    await agent.next()
    leave()
    await expect(asked).rejects.toMatchObject({ code: 'client_closed_request' })
    expect(listeners()).toBe(0)
  })

  test.each([
    ['POST', true, false],
    ['POST', false, true],
    ['DELETE', true, true],
  ] as const)(
    'the end of the gateway: %s, sent whole %p, may be asked again: %p',
    async (method, isSent, retryable) => {
      const { world, ask, agent, call } = begin({ method })
      await using _ = world
      const asked = ask()
      const exchange = await agent.next()
      if (isSent) exchange.written()
      call.leave.fire('shutdown')
      await expect(asked).rejects.toMatchObject({ code: 'shutting_down', retryable })
    },
  )
})

describe('a backend that is full', () => {
  test('is waited for', async () => {
    const { world, ask, agent } = begin()
    await using _ = world
    const slot = agent.take()
    const asked = ask()
    await agent.joined()
    if (slot !== null) agent.release(slot)
    ;(await agent.next()).play(json({}))
    expect(await asked).toMatchObject({ kind: 'whole' })
  })

  test('for so long', async () => {
    const { world, ask, agent } = begin()
    await using _ = world
    const slot = agent.take()
    const asked = ask()
    await agent.joined()
    world.clock.advance(5000)
    await expect(asked).rejects.toMatchObject({ code: 'no_capacity' })
    if (slot !== null) agent.release(slot)
  })

  test('by no more requests than may wait, like any other', async () => {
    const { world, ask, agent } = begin({}, { limits: { waitersMax: 1 } })
    await using _ = world
    const slot = agent.take()
    const asked = ask()
    await agent.joined()
    expect(world.traffic.waiters).toBe(1)
    await expect(ask()).rejects.toMatchObject({ code: 'no_capacity' })
    if (slot !== null) agent.release(slot)
    ;(await agent.next()).play(json({}))
    await asked
    expect(world.traffic.waiters).toBe(0)
  })

  test('not by who has left already', async () => {
    const { world, ask, agent, leave } = begin()
    await using _ = world
    const slot = agent.take()
    leave()
    await expect(ask()).rejects.toMatchObject({ code: 'client_closed_request' })
    expect(agent.stats().waiters).toBe(0)
    if (slot !== null) agent.release(slot)
  })
})

test('who has left already is not asked for', async () => {
  const { world, ask, leave, listeners } = begin()
  await using _ = world
  leave()
  await expect(ask()).rejects.toMatchObject({ code: 'client_closed_request' })
  expect(listeners()).toBe(0)
})

test('a request that cannot be written gives its slot back', async () => {
  const { world, ask, agent } = begin()
  await using _ = world
  agent.breakNextSend(new Error('a bug'))
  await expect(ask()).rejects.toThrow('a bug')
  expect(agent.stats().slotsTaken).toBe(0)
})
