import { readFileSync } from 'node:fs'
import { temporaryFolder } from '../../support/temporary-folder.ts'

export interface Certificate {
  readonly key: string
  readonly cert: string
}

export interface Certificates {
  /** The authority that signed `good` and `misnamed`. */
  readonly caPem: string
  /** For `localhost` and 127.0.0.1. */
  readonly good: Certificate
  /** For `other.example`, 192.0.2.7 and 2001:db8::7. */
  readonly misnamed: Certificate
  readonly selfSigned: Certificate
  /** As `good`, but its time is over. */
  readonly expired: Certificate
}

const HERE = 'subjectAltName=DNS:localhost,IP:127.0.0.1'

/** Makes a certificate authority and what it signed, with the openssl of the machine. `more`: further places that `good` is for. */
export function makeCertificates(more: readonly string[] = []): Certificates {
  using folder = temporaryFolder()
  const path = folder.at
  const openssl = (...words: string[]): void => {
    const { exitCode, stderr } = Bun.spawnSync(['openssl', ...words], { stdout: 'ignore', stderr: 'pipe' })
    if (exitCode !== 0) throw new Error(`openssl ${words[0]}: ${stderr.toString()}`)
  }
  const key = (name: string): string[] => [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    path(`${name}.key`),
  ]
  const make = (name: string, ...more: string[]): Certificate => {
    openssl('req', '-x509', ...key(name), '-out', path(`${name}.pem`), '-subj', `/CN=${name}`, '-days', '30', ...more)
    return { key: readFileSync(path(`${name}.key`), 'utf8'), cert: readFileSync(path(`${name}.pem`), 'utf8') }
  }
  const ca = make('authority')
  const signed = ['-CA', path('authority.pem'), '-CAkey', path('authority.key'), '-addext', 'basicConstraints=CA:FALSE']
  const expired = (): Certificate => {
    const names = ['-subj', '/CN=expired', '-addext', HERE]
    openssl('req', ...key('expired'), '-new', '-out', path('expired.csr'), ...names)
    const life = ['-days', '-1', '-copy_extensions', 'copy', '-CAcreateserial']
    openssl('x509', '-req', '-in', path('expired.csr'), ...signed.slice(0, 4), ...life, '-out', path('expired.pem'))
    return { key: readFileSync(path('expired.key'), 'utf8'), cert: readFileSync(path('expired.pem'), 'utf8') }
  }
  return {
    caPem: ca.cert,
    good: make('good', ...signed, '-addext', [HERE, ...more].join(',')),
    misnamed: make('misnamed', ...signed, '-addext', 'subjectAltName=DNS:other.example,IP:192.0.2.7,IP:2001:db8::7'),
    selfSigned: make('self', '-addext', HERE),
    expired: expired(),
  }
}
