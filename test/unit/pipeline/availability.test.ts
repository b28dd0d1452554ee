import { expect, test } from 'bun:test'
import { GatewayError } from '../../../src/domain/index.ts'
import { availabilityOf } from '../../../src/pipeline/availability.ts'
import { createHouseDouble } from '../../support/house.ts'
import { callAt } from './support.ts'

const SKIP = { offer: 'north/m', backend: 'north', rule: 'quantized', reason: 'it is fp8' }

async function callOf(hideBackends = false) {
  await using world = createHouseDouble()
  const { call } = callAt(world)
  Object.assign(call, { modelAsked: 'm', fallbacks: ['n'], skips: [SKIP, { ...SKIP, backend: '' }] })
  const { settings } = call
  return { ...call, settings: { ...settings, replies: { ...settings.replies, hideBackends } } }
}

test('a wish that nobody keeps says which', async () => {
  const error = new GatewayError('no_matching_backend', 'Nobody is.', { extra: { excluded_by: ['quantization'] } })
  expect(availabilityOf(await callOf(), error)).toEqual({
    code: 'constraint_filtered',
    retryable: false,
    retry_after: null,
    requested_models: ['m', 'n'],
    affected_providers: ['north'],
    excluded_by: ['quantization'],
    fallback_models: ['n'],
    constraint: { field: 'quantization', detail: 'Nobody is.' },
    docs_url: expect.stringMatching(/^http:\/\/[^/]+\/swagger$/),
  })
})

test('what passes says when; hidden backends are not named; other errors have none of it', async () => {
  const call = await callOf(true)
  const full = new GatewayError('no_capacity', 'All are full.', { retryAfterMs: 1500 })
  expect(availabilityOf(call, full)).toMatchObject({
    code: 'capacity_exhausted',
    retryable: true,
    retry_after: 2,
    affected_providers: [],
    constraint: null,
  })
  expect(availabilityOf(call, new GatewayError('invalid_json', 'No.'))).toBeNull()
})
