import { describe, expect, test } from 'bun:test'
import { dialectOf, type RequestFacts } from '../../../../src/dialects/index.ts'
import { outgoingRequest } from '../../../../src/pipeline/dispatch/outgoing-request.ts'
import type { PreparedRequest } from '../../../../src/pipeline/handover.ts'
import { Upload } from '../../../../src/pipeline/upload.ts'
import { fakeClock } from '../../../support/fake-clock.ts'
import { attempt } from './attempt-kit.ts'

test('goes to the operation’s path below the base URL, as the caller’s bytes with the provider’s name of the model', async () => {
  await using made = attempt({ seed: 1 }, { outputLimit: 77 })
  const { request, sentJson } = made.exchange
  expect([request.method, request.target]).toEqual(['POST', '/v1/chat/completions'])
  expect(sentJson).toMatchObject({ model: 'north-m', seed: 1, max_tokens: 77 })
})

test('has the limits of the offer', async () => {
  await using made = attempt({}, { backends: { north: { limits: { connectMs: 7, idleMs: 8 } } } })
  expect(made.exchange.request.limits).toEqual({ connectMs: 7, idleMs: 8 })
})

test.each(['stale', 'never'] as const)('is sent again as its backend allows it: %s', async (resend) => {
  await using made = attempt()
  const { offer } = made.plan.candidate
  const candidate = { ...made.plan.candidate, offer: { ...offer, backend: { ...offer.backend, resend } } }
  expect(outgoingRequest({ ...made.plan, candidate }, dialectOf('openai')).resend).toBe(resend)
})

type Made = Awaited<ReturnType<typeof attempt>>

/** The same request with some of it changed. */
function again({ plan }: Made, facts: Partial<RequestFacts> = {}, more: Partial<PreparedRequest> = {}) {
  const prepared = { ...plan.prepared, ...more, facts: { ...plan.prepared.facts, ...facts } }
  return outgoingRequest({ ...plan, prepared }, dialectOf('openai'))
}

describe('its head', () => {
  test('is the same list for all usual requests with one credential to one backend', async () => {
    await using made = attempt()
    const usual = again(made).headers
    expect(again(made).headers).toBe(usual)
    const streaming = again(made, { stream: true }).headers
    expect(streaming).not.toEqual(usual)
    expect(again(made, { stream: true }).headers).toBe(streaming)
    const other = { ...made.plan, credential: null }
    expect(outgoingRequest(other, dialectOf('openai')).headers).not.toEqual(usual)
    expect(outgoingRequest(other, dialectOf('openai')).headers).toBe(
      outgoingRequest(other, dialectOf('openai')).headers,
    )
  })

  test('has what is passed on, and the content type of the body', async () => {
    await using made = attempt()
    const passed = { ...made.plan.prepared.passed, headers: [['openai-beta', 'one']] as const }
    expect(Object.fromEntries(again(made, {}, { passed }).headers)).toMatchObject({
      'content-type': 'application/json',
      'openai-beta': 'one',
    })
    const bodyType = 'multipart/form-data; boundary=x'
    expect(Object.fromEntries(again(made, { bodyType }).headers)).toMatchObject({ 'content-type': bodyType })
    expect(Object.fromEntries(again(made).headers)).not.toHaveProperty('openai-beta')
  })

  test.each([
    [{}, 'application/json'],
    [{ stream: true }, 'text/event-stream'],
    [{ isBinary: true }, '*/*'],
    [{ isBinary: true, stream: true }, '*/*'],
    [{ isOpen: true }, '*/*'],
    [{ textual: 'maybe' }, '*/*'],
  ] as const)('accepts what may come: %o: %s', async (facts, accept) => {
    await using made = attempt()
    expect(Object.fromEntries(again(made, facts).headers)).toMatchObject({ accept })
  })
})

test.each([
  [1000, 1000],
  [null, null],
])(
  'what follows a body is as long as it is told, and longer by what was written into it: %p',
  async (told, expected) => {
    await using made = attempt()
    const reader = { read: async () => ({ done: true }) as const, cancel: async () => {} }
    const form = { push() {}, end() {} }
    const parts = { reader, form, readBytes: 0, bodyBytes: told, bytesMax: 5000 }
    const { body, rest } = again(made, {}, { upload: new Upload(fakeClock(), parts) })
    const addedBytes = (body?.byteLength ?? 0) - made.plan.prepared.facts.body.byteLength
    expect(addedBytes).not.toBe(0)
    expect(rest?.bodyBytes).toBe(expected === null ? null : expected + addedBytes)
    expect(await rest?.read()).toBeNull()
    expect(again(made).rest).toBeUndefined()
  },
)
