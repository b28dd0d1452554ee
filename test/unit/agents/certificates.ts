import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Certificate {
  readonly key: string
  readonly cert: string
}

export interface Certificates {
  /** The authority that signed `good` and `misnamed`. */
  readonly caPem: string
  /** For `localhost` and 127.0.0.1. */
  readonly good: Certificate
  /** For `other.example`. */
  readonly misnamed: Certificate
  readonly selfSigned: Certificate
}

const HERE = 'subjectAltName=DNS:localhost,IP:127.0.0.1'

/** Makes a certificate authority and what it signed, with the openssl of the machine. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'anyrouter-certificates-'))
  const path = (name: string): string => join(folder, name)
  const openssl = (...words: string[]): void => {
    const { exitCode, stderr } = Bun.spawnSync(['openssl', ...words], { stdout: 'ignore', stderr: 'pipe' })
    if (exitCode !== 0) throw new Error(`openssl ${words[0]}: ${stderr.toString()}`)
  }
  const make = (name: string, ...more: string[]): Certificate => {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', path(`${name}.key`)]
    openssl('req', '-x509', ...key, '-out', path(`${name}.pem`), '-subj', `/CN=${name}`, '-days', '30', ...more)
    return { key: readFileSync(path(`${name}.key`), 'utf8'), cert: readFileSync(path(`${name}.pem`), 'utf8') }
  }
  try {
    const ca = make('authority')
    const signed = [
      '-CA',
      path('authority.pem'),
      '-CAkey',
      path('authority.key'),
      '-addext',
      'basicConstraints=CA:FALSE',
    ]
    return {
      caPem: ca.cert,
      good: make('good', ...signed, '-addext', HERE),
      misnamed: make('misnamed', ...signed, '-addext', 'subjectAltName=DNS:other.example'),
      selfSigned: make('self', '-addext', HERE),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
