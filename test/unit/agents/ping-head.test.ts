import { expect, test } from 'bun:test'
import { pingHead } from '../../../src/agents/ping-head.ts'
import { backendAt } from './probe.ts'

const lines = (head: string) => head.split('\r\n')

test('a GET below the base URL, without a body', () => {
  const backend = backendAt('https://api.example/v1')
  expect(lines(pingHead(backend, 'api.example', []))).toEqual([
    'GET /v1/models HTTP/1.1',
    'host: api.example',
    'accept: application/json',
    'accept-encoding: identity',
    'user-agent: anyrouter',
    '',
    '',
  ])
})

test('the path of the backend’s pings, and the credential it is to show', () => {
  const ping = { path: '/health?x=1', everyMs: null, withCredential: true }
  const head = lines(pingHead({ ...backendAt('https://api.example'), ping }, 'api.example', [['x-api-key', 'k']]))
  expect(head[0]).toBe('GET /health?x=1 HTTP/1.1')
  expect(head).toContain('x-api-key: k')
})
