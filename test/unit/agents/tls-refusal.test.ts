import { describe, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { tlsRefusal } from '../../../src/agents/tls-refusal.ts'
import { makeCertificates } from './certificates.ts'

const { good, misnamed } = makeCertificates()
const legacy = (pem: string) => new X509Certificate(pem).toLegacyObject()
const sound = { isVerified: true, error: null, certificate: legacy(good.cert), protocol: 'http/1.1' } as const

describe('tlsRefusal', () => {
  test.each(['localhost', '127.0.0.1'])('nothing against a sound handshake with %s', (host) => {
    expect(tlsRefusal(host, sound)).toBeNull()
    expect(tlsRefusal(host, { ...sound, protocol: false })).toBeNull() // a backend that knows no ALPN
  })

  test('a wrong name is refused, even when Bun has let it pass', () => {
    expect(tlsRefusal('localhost', { ...sound, certificate: legacy(misnamed.cert) })).toContain('localhost')
    expect(tlsRefusal('127.0.0.1', { ...sound, certificate: legacy(misnamed.cert) })).toContain('127.0.0.1')
    expect(tlsRefusal('sub.localhost', sound)).not.toBeNull()
  })

  test('what Bun refused, and another protocol', () => {
    expect(tlsRefusal('localhost', { ...sound, isVerified: false })).toContain('verified')
    expect(tlsRefusal('localhost', { ...sound, isVerified: false, error: new Error('self-signed') })).toBe(
      'self-signed',
    )
    expect(tlsRefusal('localhost', { ...sound, protocol: 'h2' })).toContain('h2')
  })
})
