import { expect } from 'bun:test'
import type { AdminAnswer } from './run-gateway.ts'

export type PublicAdminCall = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<AdminAnswer & { readonly headers: Headers }>

/**
 * Calls the admin API on the public port with this bearer secret; null: without one. A text goes out as it is, anything else as JSON.
 * Every answer is checked for its form.
 */
export function adminOverPort(origin: string, secret: string | null): PublicAdminCall {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${origin}/admin/v1${path}`, {
      method,
      headers: { ...headers, ...(secret === null ? {} : { authorization: `Bearer ${secret}` }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const answer: AdminAnswer['body'] = await response.json()
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
    if (!response.ok)
      expect(Object.keys(answer.error)).toEqual(expect.arrayContaining(['message', 'type', 'param', 'code']))
    return { status: response.status, body: answer, headers: response.headers }
  }
}
