import { describe, expect, test } from 'bun:test'
import type { RoutePlan } from '../../../../src/domain/index.ts'
import { refuseEmptyPlan } from '../../../../src/pipeline/route/refuse-empty-plan.ts'
import { route } from '../../../../src/pipeline/route/route.ts'
import { NOW_MS, worldOf } from './route-kit.ts'

describe('refuseEmptyPlan', () => {
  const refused = (model: string, spec?: Parameters<typeof worldOf>[0]) => () =>
    refuseEmptyPlan(route(worldOf(spec), { model }), NOW_MS)

  test('lets pass what has a candidate', () => {
    expect(refused('acme/small')).not.toThrow()
  })

  test('403 when the key is the reason', () => {
    expect(refused('acme/large', { models: ['acme/small'] })).toThrow(
      expect.objectContaining({ code: 'model_not_permitted', status: 403, details: { param: 'model' } }),
    )
  })

  test('503 else, with the reasons', () => {
    expect(refused('acme/off')).toThrow(
      expect.objectContaining({
        code: 'no_backend',
        status: 503,
        message: expect.stringContaining('the backend is disabled'),
        details: { retryAfterMs: 30_000, extra: { skips: [{ rule: 'enabled', reason: 'the backend is disabled' }] } },
      }),
    )
  })

  test.each([
    ['the first end of all', { north: NOW_MS + 90_000, south: NOW_MS + 20_000 }, 20_000],
    ['the only end, beside one that must be cleared', { north: null, south: NOW_MS + 600_000 }, 600_000],
    ['a guess, where all must be cleared', { north: null, south: null }, 30_000],
  ])('503 when all are quarantined: wait for %s', (_what, out, retryAfterMs) => {
    const skip = { rule: 'quarantined', reason: 'the backend is quarantined' }
    expect(refused('acme/large', { out })).toThrow(
      expect.objectContaining({
        code: 'no_backend',
        status: 503,
        message: "No backend can serve the model 'acme/large' now: the backend is quarantined.",
        details: { retryAfterMs, extra: { skips: [skip, skip] } },
      }),
    )
  })

  test('503 that asks for no repeat where waiting cannot help', () => {
    expect(refused('acme/none')).toThrow(
      expect.objectContaining({
        code: 'no_backend',
        message: expect.stringContaining('it has no offer'),
        retryable: false,
        details: { retryable: false, extra: { skips: [] } },
      }),
    )
    expect(refused('acme/unsold')).toThrow(
      expect.objectContaining({ code: 'no_backend', message: expect.stringContaining('no price'), retryable: false }),
    )
    expect(refused('acme/unsold', { kind: 'unmetered' })).not.toThrow()
  })
})

describe('where account and key are the reason', () => {
  const planOf = (...rules: string[]): RoutePlan => ({
    model: 'acme/m',
    candidates: [],
    skips: rules.map((rule, at) => ({ offer: `b${at}/acme/m`, backend: `b${at}`, rule, reason: `reason of ${rule}` })),
  })
  const refusalOf = (plan: RoutePlan): unknown => {
    try {
      refuseEmptyPlan(plan, NOW_MS)
      return null
    } catch (error) {
      return error
    }
  }

  test.each([
    ['region_restricted', 403, ['sovereignty']],
    ['region_restricted', 403, ['enabled', 'sovereignty', 'permitted']],
    ['privacy_restricted', 404, ['sovereignty', 'data-handling']],
    ['model_not_permitted', 403, ['enabled', 'permitted']],
  ])('%s (%i): %j', (code, status, rules) => {
    expect(refusalOf(planOf(...rules))).toMatchObject({ code, status, retryable: false, details: { param: 'model' } })
  })

  test.each([
    ['sovereignty', "No region that this key may use offers the model 'acme/m'."],
    ['data-handling', "No provider of the model 'acme/m' handles data as this request, key or account asks for."],
    ['permitted', "This key may not use the model 'acme/m'."],
  ])('in words: %s', (rule, message) => {
    expect(refusalOf(planOf('enabled', rule))).toMatchObject({ message })
  })

  test.each([
    ['the provider may keep what it is sent', 'data_policy:zdr'],
    ['the provider may train on what it is sent', 'data_policy:training'],
  ])('in a word: %s', (reason, word) => {
    const plan = planOf('data-handling')
    const told = { ...plan, skips: plan.skips.map((skip) => ({ ...skip, reason })) }
    expect(refusalOf(told)).toMatchObject({ details: { extra: { excluded_by: [word] } } })
  })

  test('the skips are told, without their evidence', () => {
    const plan = planOf('sovereignty')
    const [skip] = plan.skips
    const told = { ...plan, skips: skip === undefined ? [] : [{ ...skip, evidence: 'for operators' }] }
    const skips = [{ rule: 'sovereignty', reason: 'reason of sovereignty' }]
    expect(refusalOf(told)).toMatchObject({ details: { extra: { skips, excluded_by: ['data_region'] } } })
  })

  test('503 as soon as one of them could serve at another time', () => {
    const refusal = refusalOf(planOf('sovereignty', 'quarantined'))
    expect(refusal).toMatchObject({ code: 'no_backend', retryable: true, details: { retryAfterMs: 30_000 } })
    expect(String(refusal)).toContain('reason of sovereignty; reason of quarantined')
  })

  test('503 that asks for no repeat when what may be used has no price', () => {
    expect(refusalOf(planOf('sovereignty', 'priced'))).toMatchObject({ code: 'no_backend', retryable: false })
  })

  test('backends that were left out are no matter of the model', () => {
    const plan = planOf('enabled', 'permitted')
    const reason = 'the account or the key may not use this backend'
    const skips = plan.skips.map((skip) => (skip.rule === 'permitted' ? { ...skip, reason } : skip))
    expect(String(refusalOf({ ...plan, skips }))).toContain("any backend of the model 'acme/m'")
  })
})

describe('where the wishes of the request are the reason', () => {
  const refusalOf = (...rules: string[]): unknown => {
    const skips = rules.map((rule, at) => ({
      offer: `b${at}/acme/m`,
      backend: `b${at}`,
      rule,
      reason: `reason of ${rule}`,
    }))
    try {
      refuseEmptyPlan({ model: 'acme/m', candidates: [], skips }, NOW_MS)
      return null
    } catch (error) {
      return error
    }
  }

  test('404 with every word for it, also beside what account, key and operator drop', () => {
    const refusal = refusalOf('enabled', 'sovereignty', 'providers', 'max-price', 'providers')
    expect(refusal).toMatchObject({
      code: 'no_matching_backend',
      status: 404,
      retryable: false,
      details: { extra: { excluded_by: ['data_region', 'allowed_providers', 'max_price'] } },
    })
    expect(String(refusal)).toContain('asks: reason of providers; reason of max-price.')
  })

  test('400 when it is asked what the model is not for, and wishes nothing else', () => {
    const expected = { code: 'wrong_endpoint', status: 400, details: { param: 'model' } }
    expect(refusalOf('enabled', 'serves')).toMatchObject(expected)
    expect(refusalOf('serves', 'providers')).toMatchObject({ code: 'no_matching_backend' })
  })

  test('400 when what is left is too short for the prompt', () => {
    const expected = { code: 'context_length_exceeded', status: 400, details: { param: 'messages' } }
    expect(refusalOf('context-length')).toMatchObject(expected)
    expect(refusalOf('context-length', 'providers', 'capable')).toMatchObject(expected)
    expect(refusalOf('context-length', 'max-price')).toMatchObject({ code: 'no_matching_backend' })
  })

  test('503 as soon as one of them could serve at another time', () => {
    expect(refusalOf('providers', 'quarantined')).toMatchObject({ code: 'no_backend', retryable: true })
    expect(refusalOf('providers', 'cooling')).toMatchObject({ code: 'no_backend', retryable: true })
  })

  test('a model that is not known is no matter of those that are', () => {
    expect(refusalOf('known-model', 'permitted')).toMatchObject({ code: 'model_not_permitted' })
  })
})
