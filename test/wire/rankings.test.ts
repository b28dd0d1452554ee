import { describe, expect, test } from 'bun:test'
import { bearer, type OfferSpec, startGateway, type TestGateway } from '../support/gateway.ts'
import { status } from '../support/script.ts'
import { type ScriptedProvider, scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, finish, role, sse, text, usage } from '../support/sse.ts'
import { chat, eventually, streamChat } from '../support/wire-chat.ts'

interface Places {
  readonly gateway: TestGateway
  readonly north: ScriptedProvider
  readonly south: ScriptedProvider
}

/** `m1` at `north`, which stands first, and `south`. */
async function places(
  check: (places: Places) => Promise<void>,
  offers: { readonly north?: object; readonly south?: object } = {},
): Promise<void> {
  await using north = await scriptedProvider()
  await using south = await scriptedProvider()
  const m1 = [
    { provider: north, id: 'north', offer: { ...offers.north } },
    { provider: south, id: 'south', offer: { ...offers.south } },
  ]
  await using gateway = await startGateway({ offers: { m1 } })
  await check({ gateway, north, south })
}

/** Whose answer it is: each says its name. */
async function servedBy(gateway: TestGateway, fields: object = {}, headers = bearer(gateway)): Promise<string> {
  return /north|south/.exec(await chat(gateway, fields, headers).text())?.[0] ?? 'nobody'
}

const named = (name: string) => completion(name, 10, 5)

/**
 * Asks until what was observed of both is known to routing, which looks once a second; then every time. `observe` asks both: an answer that its
 * reader was late for tells no speed.
 */
async function staysWith(ask: () => Promise<string>, name: string, observe?: () => Promise<void>): Promise<void> {
  const servers = async (): Promise<string[]> => [await ask(), await ask(), await ask(), await ask(), await ask()]
  const same = Array(5).fill(name)
  await eventually(async () => {
    await observe?.()
    return (await servers()).every((server) => server === name) ? true : undefined
  })
  expect(await servers()).toEqual(same)
}

/** A stream from each. */
async function streamOfEach(gateway: TestGateway): Promise<void> {
  for (const order of [['north'], ['south']]) await streamChat(gateway, { provider: { order } }).text()
}

describe('a sort by what was observed', () => {
  test('`uptime` goes to who succeeds more often', () =>
    places(async ({ gateway, north, south }) => {
      north.script(status(500), named('north'))
      south.script(named('south'))
      await chat(gateway, { provider: { order: ['north'], allow_fallbacks: false } }).text()
      expect(await servedBy(gateway, { provider: { order: ['north'] } })).toBe('north')
      expect(await servedBy(gateway, { provider: { order: ['south'] } })).toBe('south')
      await staysWith(() => servedBy(gateway, { provider: { sort: 'uptime' } }), 'south')
      expect(await servedBy(gateway)).toBe('north')
    }))

  test('`throughput` and `:nitro` go to who has more tokens a second', () =>
    places(async ({ gateway, north, south }) => {
      const slow = sse(role(), text('north'), { sleep_ms: 150 }, text('.'), finish(), usage(5, 20), done())
      const quick = sse(role(), text('south'), { sleep_ms: 10 }, text('.'), finish(), usage(5, 200), done())
      north.script(slow)
      south.script(quick)
      const ask = () => servedBy(gateway, { stream: true, provider: { sort: 'throughput' } })
      await staysWith(ask, 'south', () => streamOfEach(gateway))
      expect(await servedBy(gateway, { stream: true, model: 'm1:nitro' })).toBe('south')
      expect(await servedBy(gateway, { stream: true })).toBe('north')
    }))
})

describe('what is preferred', () => {
  test('`preferred_max_latency` and `preferred_min_throughput` put who misses them behind, and drop nobody', () =>
    places(async ({ gateway, north, south }) => {
      const slow = sse(
        { sleep_ms: 120 },
        role(),
        text('north'),
        { sleep_ms: 60 },
        text('.'),
        finish(),
        usage(5, 20),
        done(),
      )
      const quick = sse(role(), text('south'), { sleep_ms: 10 }, text('.'), finish(), usage(5, 200), done())
      north.script(slow)
      south.script(quick)
      const ask = (provider: object) => servedBy(gateway, { stream: true, provider })
      await staysWith(
        () => ask({ preferred_max_latency: 0.1 }),
        'south',
        () => streamOfEach(gateway),
      )
      expect(await ask({ preferred_min_throughput: 1000 })).toBe('south')
      expect(await ask({ preferred_max_latency: 0.1, only: ['north'] })).toBe('north')
      expect(await ask({})).toBe('north')
    }))
})

test('`sort: weight` spreads requests by the weights of offers: one of weight 0 comes last', () =>
  places(
    async ({ gateway, north, south }) => {
      north.script(named('north'))
      south.script(named('south'))
      for (let at = 0; at < 10; at++) expect(await servedBy(gateway, { provider: { sort: 'weight' } })).toBe('south')
      expect(await servedBy(gateway)).toBe('north')
    },
    { north: { weight: 0 }, south: { weight: 3 } },
  ))

test('a backend that fails one account alone is left alone by that one, and says so; others go on', () =>
  places(async ({ gateway, north, south }) => {
    south.script(named('south'))
    await gateway.admin('POST', '/accounts', { name: 'other', kind: 'unmetered' })
    const { body } = await gateway.admin('POST', '/keys', { account: 'other', name: 'k' })
    const other = bearer({ key: body.secret })
    north.script(named('north'))
    expect(await servedBy(gateway, {}, other)).toBe('north')
    north.script(status(500), status(500), status(500), status(500), status(500), named('north'))
    for (let at = 0; at < 5; at++) expect(await servedBy(gateway)).toBe('south') // served by the other after each failure
    const sent = north.requests.length
    const answer = chat(gateway, {}, { ...bearer(gateway), 'x-anyrouter-explain': '1' })
    const explained: unknown = JSON.parse((await answer.head()).header('x-anyrouter-explain') ?? '')
    expect(explained).toMatchObject({ skips: [{ backend: 'north', rule: 'cooling' }] })
    expect(north.requests).toHaveLength(sent)
    expect(await servedBy(gateway, {}, other)).toBe('north')
  }))

describe('the very next request', () => {
  test('knows of an offer, a backend, a model that was switched off, and of one that is on again', async () => {
    await using north = await scriptedProvider()
    await using south = await scriptedProvider()
    const offers = (first: OfferSpec['offer'], backend: OfferSpec['backend'] = {}): Record<string, OfferSpec[]> => ({
      m1: [
        { provider: north, id: 'north', offer: { ...first }, backend },
        { provider: south, id: 'south' },
      ],
    })
    await using gateway = await startGateway({ offers: offers({}) })
    north.script(named('north'))
    south.script(named('south'))
    const after = async (spec: Parameters<TestGateway['configure']>[0]) => {
      gateway.configure(spec)
      expect((await gateway.admin('POST', '/config/reload')).status).toBe(200)
      return servedBy(gateway)
    }
    expect(await servedBy(gateway)).toBe('north')
    expect(await after({ offers: offers({ enabled: false }) })).toBe('south')
    expect(await after({ offers: offers({}) })).toBe('north')
    expect(await after({ offers: offers({}, { enabled: false }) })).toBe('south')
    expect(await after({ offers: offers({}) })).toBe('north')
    expect(await after({ offers: { m2: [{ provider: south, id: 'south' }] } })).toBe('nobody')
    expect(await chat(gateway).status()).toBe(404)
    expect(await after({ offers: offers({}) })).toBe('north')
  })
})
