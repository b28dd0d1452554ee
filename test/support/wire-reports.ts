import { expect } from 'bun:test'
import { bearer, type TestGateway } from './gateway.ts'
import { eventually } from './wire-chat.ts'

type Headers = Readonly<Record<string, string>>

/** One call below `/api/v1`. */
export async function api(
  gateway: TestGateway,
  path: string,
  headers: Headers = bearer(gateway),
  more: RequestInit = {},
) {
  const answer = await fetch(`${gateway.origin}/api/v1${path}`, { headers, ...more })
  const body = await answer.text()
  expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
  return { status: answer.status, body: JSON.parse(body), headers: answer.headers }
}

export const send = (method: string, body?: object): RequestInit => ({
  method,
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
})

export async function managementKey(gateway: TestGateway, ...scopes: string[]): Promise<Headers> {
  const { status: made, body } = await gateway.admin('POST', '/management-keys', { name: scopes.join(), scopes })
  expect(made).toBe(201)
  return bearer({ key: body.secret })
}

export async function otherAccount(gateway: TestGateway): Promise<Headers> {
  expect((await gateway.admin('POST', '/accounts', { name: 'other', kind: 'unmetered' })).status).toBe(201)
  const { body } = await gateway.admin('POST', '/keys', { account: 'other', name: 'theirs' })
  return bearer({ key: body.secret })
}

export const hashOf = (secret: string): string => Bun.CryptoHasher.hash('sha256', secret, 'hex')
/** 100 × $4 and 10 × $10, per million. */
export const COST = 0.0005

/** What was charged, once it is on disk. */
export const creditsOf = (gateway: TestGateway, used: number, headers = bearer(gateway)) =>
  eventually(async () => {
    const { body } = await api(gateway, '/credits', headers)
    return body.used === used ? body : undefined
  })

/** A whole answer that costs `COST` with 100 and 10 tokens. */
export function completionBody(content: string, promptTokens: number, completionTokens: number): object {
  const message = { role: 'assistant', content }
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'theirs',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  }
}
