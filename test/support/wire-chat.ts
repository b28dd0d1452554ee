import { expect } from 'bun:test'
import { bearer, type TestGateway } from './gateway.ts'
import { PATIENCE_MS } from './milestones.ts'
import type { AnswerHead, RawAnswer } from './raw-answer.ts'
import { rawRequest } from './raw-client.ts'
import { timingIn } from './server-timing.ts'
import { breathe } from './wire.ts'

export const CHAT_PATH = '/v1/chat/completions'
export const HELLO = [{ role: 'user', content: 'Hello' }] as const

/** One chat request on a connection of its own; `fields` are laid over a small plain request for model `m1`. */
export function chat(
  gateway: TestGateway,
  fields: object = {},
  headers: Readonly<Record<string, string>> = bearer(gateway),
): RawAnswer {
  return rawRequest(gateway.origin, {
    path: CHAT_PATH,
    headers,
    json: { model: 'm1', messages: HELLO, max_tokens: 16, ...fields },
  })
}

export const streamChat = (gateway: TestGateway, fields: object = {}): RawAnswer =>
  chat(gateway, { stream: true, ...fields })

/** The error object of an answer in the OpenAI shape: all four keys, JSON, a request id. */
export async function errorOf(answer: RawAnswer): Promise<{
  status: number
  code: string | null
  message: string
  param: string | null
  type: string
  head: AnswerHead
}> {
  const head = await answer.head()
  expect(head.header('content-type')).toBe('application/json')
  expect(head.header('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
  const body = JSON.parse(await answer.text())
  expect(Object.keys(body.error)).toEqual(expect.arrayContaining(['message', 'type', 'param', 'code']))
  return { status: head.status, head, ...body.error }
}

/** Durations of an answer's Server-Timing in hundredths of a millisecond, having checked that all its sums hold exactly. */
export const timingOf = (head: AnswerHead): Map<string, number> => timingIn(head.header('server-timing'))

/** The only settlement there is. It is on disk soon after its answer: asked for until it is there. */
export async function settlementOf(gateway: TestGateway): Promise<Record<string, unknown>> {
  return eventually(async () => {
    const { body } = await gateway.admin('GET', '/ledger/settlements')
    expect(body.data.length).toBeLessThan(2)
    return body.data[0]
  })
}

/** The record of a request, with its settlement. */
export async function recordOf(gateway: TestGateway, answer: AnswerHead) {
  return eventually(async () => {
    const { status, body } = await gateway.admin('GET', `/records/${answer.header('x-request-id')}`)
    return status === 200 && body.settlement !== null ? body : undefined
  })
}

/** Asks until there is an answer; throws, and says what was asked, when none comes. */
export async function eventually<T>(ask: () => Promise<T | undefined>): Promise<T> {
  const endMs = performance.now() + PATIENCE_MS
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (performance.now() > endMs) throw new Error(`no answer within ${PATIENCE_MS / 1000} s to ${ask}`)
    await breathe()
  }
}

/** What the account has, in nano-dollars. */
export async function balanceOf(gateway: TestGateway): Promise<number> {
  return (await gateway.admin('GET', `/accounts/${gateway.account}`)).body.balance_nano
}

/** A key of its own, of the gateway's account, with these terms (as the admin API names them); its headers as a caller sends them. */
export async function keyWith(gateway: TestGateway, terms: object) {
  const { status, body } = await gateway.admin('POST', '/keys', { account: 'test', name: 'limited', ...terms })
  expect(status).toBe(201)
  return { id: String(body.id), headers: bearer({ key: body.secret }) }
}
