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

test.each([
  ['model_not_found', 'model_not_found'],
  ['model_not_permitted', 'no_endpoints'],
  ['wrong_endpoint', 'wrong_endpoint'],
  ['no_matching_backend', 'constraint_filtered'],
  ['context_length_exceeded', 'constraint_filtered'],
  ['region_restricted', 'region_restricted'],
  ['privacy_restricted', 'privacy_restricted'],
  ['no_backend', 'temporarily_unavailable'],
  ['no_capacity', 'capacity_exhausted'],
] as const)('%s is %s', async (ours, code) => {
  expect(availabilityOf(await callOf(), new GatewayError(ours, 'No.'))).toMatchObject({ code })
})

test('what is not known is not told: a model, a host; what may be repeated without a time is not told as such', async () => {
  const call = await callOf()
  const arrival = { ...call.arrival, request: { headers: new Headers(), url: 'no host' } as Request }
  const error = new GatewayError('no_backend', 'None.', { retryable: true })
  expect(availabilityOf({ ...call, modelAsked: null, arrival }, error)).toMatchObject({
    requested_models: ['n'],
    docs_url: null,
    retryable: error.retryAfterS !== null,
  })
  const never = new GatewayError('no_capacity', 'None.', { retryable: false, retryAfterMs: 1000 })
  expect(availabilityOf(call, never)).toMatchObject({ retryable: false })
})
