import { expect, test } from 'bun:test'
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
