import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { buildCatalogue } from '../../../src/catalogue/index.ts'
import { type Demo, startDemo } from '../../../src/demo/index.ts'
import { costOf } from '../../../src/domain/index.ts'
import { systemRandom } from '../../../src/lib/index.ts'
import { hurriedClock } from './support.ts'

let demo: Demo
beforeAll(() => {
  demo = startDemo({ clock: hurriedClock(), random: systemRandom() })
})
afterAll(() => demo.close())

const ask = async (backendId: string, model: string) => {
  const backend = demo.parts.backends.get(backendId)
  const offer = demo.parts.models.get(model)?.offers.find((other) => other.backend === backend)
  const response = await fetch(`${backend?.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${backend?.provider.credentials[0]?.secret}` },
    body: JSON.stringify({ model: offer?.providerModel, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  return { status: response.status, text: await response.text() }
}

describe('startDemo', () => {
  test('gives a sound catalogue of two backends and four models', () => {
    const catalogue = buildCatalogue(demo.parts, { version: 1, createdAtS: 0 })
    expect([...catalogue.backends.keys()]).toEqual(['north', 'south'])
    const models = [...catalogue.models.values()].map(({ id, outputTokensMax, offers }) => [
      id,
      outputTokensMax,
      ...offers.map((offer) => offer.id),
    ])
    expect(catalogue.routers.get('anyrouter/free')?.models.map(({ id }) => id)).toEqual(['demo/gift'])
    expect(models).toEqual([
      ['demo/fast', 4096, 'north/demo/fast', 'south/demo/fast'],
      ['demo/slow', 4096, 'north/demo/slow', 'south/demo/slow'],
      ['demo/flaky', 4096, 'north/demo/flaky', 'south/demo/flaky'],
      ['demo/gift', 4096, 'north/demo/gift', 'south/demo/gift'],
    ])
  })

  test('its notes are those of the first ten minutes', () => {
    expect([...demo.notes]).toEqual([
      ['demo/fast', '2 backends: north 20 ms, south 35 ms'],
      ['demo/slow', 'streams 20 tokens/s'],
      ['demo/flaky', 'north fails 1 of 3; watch it fall back'],
      ['demo/gift', 'costs nothing: what anyrouter/free takes'],
    ])
  })

  test('the sample costs $0.00000735', () => {
    const price = demo.parts.models.get('demo/fast')?.offers[0]?.price
    if (price === undefined || price === null) throw new Error('no price')
    expect(Number(costOf({ input: 9, cachedInput: 0, cacheWrite: 0, output: 10, reasoning: 0 }, price))).toBe(7350)
  })

  test('both backends answer; only north fails, one of three', async () => {
    expect((await ask('north', 'demo/fast')).text).toContain('Hello from north. I am a simulated provider.')
    expect((await ask('south', 'demo/fast')).text).toContain('Hello from south. I am a simulated provider.')
    expect([(await ask('north', 'demo/flaky')).status, (await ask('north', 'demo/flaky')).status]).toEqual([500, 200])
    expect((await ask('south', 'demo/flaky')).status).toBe(200)
  })

  test('each has a credential of its own, that no other process knows', () => {
    const secrets = [...demo.parts.backends.values()].map(({ provider }) => provider.credentials[0]?.secret)
    expect(new Set(secrets).size).toBe(2)
  })
})
