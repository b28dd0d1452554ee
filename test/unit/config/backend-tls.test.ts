import { describe, expect, test } from 'bun:test'
import { makeCertificates } from '../agents/certificates.ts'
import { configOf, problemsOf, withBackend } from './support.ts'

const { good, selfSigned } = makeCertificates()
const FILES = {
  '/etc/c.pem': good.cert,
  '/etc/c.key': good.key,
  '/etc/other.key': selfSigned.key,
  '/etc/locked.key': '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n',
  '/etc/text': 'canary',
}

describe('a client certificate', () => {
  test('with its key', async () => {
    const { catalogue } = await configOf(
      withBackend('{ url: "https://h", tls: { cert_file: c.pem, key_file: c.key } }'),
      {},
      FILES,
    )
    expect(catalogue.backends.get('a')?.tls).toEqual({
      caPem: null,
      client: { certPem: good.cert, keyPem: good.key },
    })
  })

  test.each([
    ['{ cert_file: c.pem }', 'cert_file', 'cert_file and key_file together'],
    ['{ key_file: c.key }', 'key_file', 'cert_file and key_file together'],
    ['{ cert_file: none.pem, key_file: c.key }', 'cert_file', 'there is no such file'],
    ['{ cert_file: c.pem, key_file: none.key }', 'key_file', 'there is no such file'],
    ['{ cert_file: text, key_file: c.key }', 'cert_file', 'no certificate in PEM form'],
    ['{ cert_file: c.pem, key_file: text }', 'key_file', 'no private key in PEM form'],
    ['{ cert_file: c.pem, key_file: c.pem }', 'key_file', 'no private key in PEM form'],
    ['{ cert_file: c.pem, key_file: other.key }', 'key_file', 'not the one of the certificate'],
    ['{ cert_file: c.pem, key_file: locked.key }', 'key_file', 'is encrypted'],
  ])('%s is a problem at %s', async (tls, name, reason) => {
    const problems = await problemsOf(withBackend(`{ url: "https://h", tls: ${tls} }`), {}, FILES)
    expect(problems).toMatchObject([
      { path: `providers.acme.backends.a.tls.${name}`, reason: expect.stringContaining(reason) },
    ])
    expect(JSON.stringify(problems)).not.toMatch(/canary|BEGIN.*KEY/)
  })
})
