import { expect, test } from 'bun:test'
import { MODEL } from '../../../support/house.ts'
import { adminWorld } from './support.ts'

test('200: every model with its other names, offers in order, and prices in both units', async () => {
  const price = { input: 150_000_000, output: 600_000_000, cachedInput: 75_000_000, perRequest: 1 }
  await using world = adminWorld({ backends: { north: { price }, south: { price: null, enabled: false } } })
  const { status, body } = await world.call('GET', '/models')
  expect(status).toBe(200)
  expect(body).toEqual({
    version: 1,
    data: [
      {
        id: MODEL,
        aliases: ['m'],
        context_tokens_max: null,
        output_tokens_max: null,
        capabilities: [],
        offers: [
          {
            offer: `north/${MODEL}`,
            backend: 'north',
            provider: 'acme',
            provider_model: 'north-m',
            enabled: true,
            region: null,
            operations: null,
            capabilities: null,
            parameters: null,
            quantization: null,
            weight: 1,
            price: {
              input: 150_000_000,
              output: 600_000_000,
              cached_input: 75_000_000,
              per_request: 1,
              input_usd: '0.15',
              output_usd: '0.60',
              cached_input_usd: '0.075',
              per_request_usd: '0.000000001',
            },
            cost: null,
            not_found: null,
          },
          {
            offer: `south/${MODEL}`,
            backend: 'south',
            provider: 'acme',
            provider_model: 'south-m',
            enabled: false,
            region: null,
            operations: null,
            capabilities: null,
            parameters: null,
            quantization: null,
            weight: 1,
            price: null,
            cost: null,
            not_found: null,
          },
        ],
      },
    ],
    routers: [
      { id: 'anyrouter/auto', by: 'needs', free_only: false, needs: {}, models: [MODEL] },
      { id: 'anyrouter/free', by: 'needs', free_only: true, needs: {}, models: [] },
    ],
    has_more: false,
    next: null,
  })
})

test("no credential and no backend's address is in it", async () => {
  await using world = adminWorld({ backends: { north: { credential: 'sk-provider-canary' } } })
  const shown = JSON.stringify((await world.call('GET', '/models')).body)
  expect(shown).not.toContain('canary')
  expect(shown).not.toContain('https://')
})

test('a price with tiers shows each of them, with the prompt from which it holds', async () => {
  const tiers = [{ promptTokensFrom: 272_000, input: 5_000_000_000, output: 22_500_000_000 }]
  const price = { input: 2_500_000_000, output: 15_000_000_000, tiers }
  await using world = adminWorld({ backends: { north: { price } } })
  const { body } = await world.call('GET', '/models')
  expect(body.data[0].offers[0].price).toEqual({
    input: 2_500_000_000,
    output: 15_000_000_000,
    input_usd: '2.50',
    output_usd: '15.00',
    tiers: [
      {
        prompt_tokens_from: 272_000,
        input: 5_000_000_000,
        output: 22_500_000_000,
        input_usd: '5.00',
        output_usd: '22.50',
      },
    ],
  })
})
