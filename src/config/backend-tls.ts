import { createPrivateKey, X509Certificate } from 'node:crypto'
import { z } from 'zod'
import type { BackendTls } from '../domain/index.ts'
import { certificatesFromFile, type Found, pemFromFile } from './secrets.ts'
import type { Surroundings } from './surroundings.ts'

/** What is wrong, and at which name of the section. */
export interface TlsProblem {
  readonly name: keyof TlsInput
  readonly reason: string
  readonly suggestion: string | null
}

/** Reads the files of a backend's TLS settings and checks that they can be used, the key with its certificate too. */
export async function readBackendTls(
  given: TlsInput,
  folder: string,
  surroundings: Surroundings,
): Promise<{ tls: BackendTls; problems: TlsProblem[] }> {
  const problems: TlsProblem[] = []
  const text = (name: keyof TlsInput, found: Found | null): string | null => {
    if (found === null || found.kind === 'found') return found?.text ?? null
    problems.push({ name, reason: found.reason, suggestion: found.suggestion })
    return null
  }
  const { ca_file, cert_file, key_file } = given
  const certificates = async (path: string | undefined): Promise<Found | null> =>
    path === undefined ? null : certificatesFromFile(path, folder, surroundings)
  const caPem = text('ca_file', await certificates(ca_file))
  const certPem = text('cert_file', await certificates(cert_file))
  const keyPem = text('key_file', key_file === undefined ? null : await pemFromFile(key_file, folder, surroundings))
  if ((cert_file === undefined) !== (key_file === undefined)) {
    const name = cert_file === undefined ? 'key_file' : 'cert_file'
    problems.push({ name, reason: 'a client certificate is cert_file and key_file together', suggestion: null })
  }
  if (certPem === null || keyPem === null) return { tls: { caPem, client: null }, problems }
  const reason = surroundings.files === 'closed' ? null : keyProblem(certPem, keyPem)
  if (reason !== null) problems.push({ name: 'key_file', reason, suggestion: null })
  return { tls: { caPem, client: { certPem, keyPem } }, problems }
}

function keyProblem(certPem: string, keyPem: string): string | null {
  if (/^-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(keyPem))
    return 'this key is encrypted, and nobody is there to type its password'
  try {
    const key = createPrivateKey(keyPem)
    return new X509Certificate(certPem).checkPrivateKey(key)
      ? null
      : 'this key is not the one of the certificate in cert_file'
  } catch {
    return 'this file holds no private key in PEM form'
  }
}

const filePath = z.string().min(1)

/** The `tls` section of a backend. */
export const tlsSchema = z.strictObject({
  ca_file: filePath.optional(),
  cert_file: filePath.optional(),
  key_file: filePath.optional(),
})

type TlsInput = z.output<typeof tlsSchema>
