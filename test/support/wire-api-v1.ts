import { expect } from 'bun:test'
import { bearer, type TestGateway } from './gateway.ts'
import type { RawAnswer } from './raw-answer.ts'
import { rawRequest } from './raw-client.ts'
import type { Part } from './script.ts'
import { HELLO } from './wire-chat.ts'
import { operationWorld } from './wire-operations.ts'

export const API_CHAT_PATH = '/api/v1/chat/completions'
/** Of every backend under test. */
export const PROVIDER = 'mock'

/** One chat request to `/api/v1`. */
export function apiChat(gateway: TestGateway, fields: object = {}, headers = bearer(gateway)): RawAnswer {
  const body = { model: 'm1', messages: HELLO, max_tokens: 16, ...fields }
  return rawRequest(gateway.origin, { path: API_CHAT_PATH, headers, json: body })
}

export const apiStream = (gateway: TestGateway, fields: object = {}): RawAnswer =>
  apiChat(gateway, { stream: true, ...fields })

/** The events of a stream that came to its end, as JSON, without `[DONE]`. */
export async function chunksOf(answer: RawAnswer) {
  await answer.text()
  return answer.events.filter(({ data }) => data !== '[DONE]').map(({ data }) => JSON.parse(data))
}

/** The error object of an answer in OpenRouter's shape. */
export async function apiErrorOf(answer: RawAnswer) {
  const head = await answer.head()
  expect(head.header('content-type')).toBe('application/json')
  const { error, ...others } = JSON.parse(await answer.text())
  expect(others).toEqual({})
  const { availability, ...told } = error // where a model cannot be had
  expect(Object.keys(told).sort()).toEqual(['code', 'message', 'metadata'])
  if (availability !== undefined) expect(Object.keys(availability)).toContain('excluded_by')
  expect(error.code).toBe(head.status)
  return { head, ...error }
}

/** A gateway with one provider that plays these scripts. */
export const apiWorld = (...parts: readonly Part[]) => operationWorld({}, ...parts)
