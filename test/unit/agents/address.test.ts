import { describe, expect, test } from 'bun:test'
import { addressOf } from '../../../src/agents/address.ts'
import { backendAt } from './probe.ts'

describe('addressOf', () => {
  test.each([
    ['http://127.0.0.1:1234/v1', '127.0.0.1', 1234, '127.0.0.1:1234', null],
    ['http://api.example/v1', 'api.example', 80, 'api.example', null],
    ['https://api.example/v1', 'api.example', 443, 'api.example', 'api.example'],
    ['https://api.example:8443', 'api.example', 8443, 'api.example:8443', 'api.example'],
    ['https://api.example./v1', 'api.example.', 443, 'api.example.', 'api.example'],
    ['https://[::1]:8443/v1', '::1', 8443, '[::1]:8443', ''],
    ['https://10.0.0.1/v1', '10.0.0.1', 443, '10.0.0.1', ''],
  ])('%s', (baseUrl, host, port, hostHeader, serverName) => {
    const tls = serverName === null ? null : { serverName, ca: null, client: null }
    expect(addressOf(backendAt(baseUrl))).toEqual({ host, port, hostHeader, tls, proxy: null })
  })

  test('an added authority stands beside the machine’s own', () => {
    const ca = addressOf(backendAt('https://api.example', { caPem: 'PEM' })).tls?.ca ?? []
    expect(ca.at(-1)).toBe('PEM')
    expect(ca.length).toBeGreaterThan(50)
  })

  test('only HTTP', () => {
    expect(() => addressOf(backendAt('ftp://api.example'))).toThrow('no HTTP address')
  })
})
