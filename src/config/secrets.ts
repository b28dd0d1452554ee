import { X509Certificate } from 'node:crypto'
import { isAbsolute, join } from 'node:path'
import { readFailure, type Surroundings } from './surroundings.ts'

/** A text that was asked for, or what is wrong, in words that hold no secret. */
export type Found =
  | { readonly kind: 'found'; readonly text: string }
  | { readonly kind: 'problem'; readonly reason: string; readonly suggestion: string | null }

const SECRET_BYTES_MAX = 65_536
const CA_BYTES_MAX = 4 * 1024 * 1024
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/
/** A name that is shown: a secret pasted in its place would rarely look like this. */
const VARIABLE_SHOWN = /^[A-Z][A-Z0-9_]{0,63}$/
/** What may stand in an HTTP header as a credential (RFC 9110 field-vchar, without space). */
const HEADER_SAFE = /^[\x21-\x7e]+$/

/** The secret in an environment variable; empty when it is unneeded and cannot be had. */
export function secretFromVariable(name: string, { env, secrets }: Surroundings): Found {
  if (!VARIABLE.test(name)) {
    return problem('env is the name of an environment variable, not the secret itself', 'env: NAME_OF_VARIABLE')
  }
  const shown = VARIABLE_SHOWN.test(name) ? `the environment variable ${name}` : 'this environment variable'
  const value = Object.hasOwn(env, name) ? env[name] : undefined // `constructor` and its like are in every object
  if (value === undefined) {
    const suggestion = VARIABLE_SHOWN.test(name) ? `export ${name}=…` : null
    return orNone(problem(`${shown} is not set`, suggestion), secrets)
  }
  return orNone(checkSecret(value, shown), secrets)
}

/** The secret in a file (its line end is dropped); empty when it is unneeded and cannot be had, or files are closed. `folder` is where a relative path begins. */
export async function secretFromFile(path: string, folder: string, surroundings: Surroundings): Promise<Found> {
  if (surroundings.files === 'closed') return CLOSED
  const file = await readText(path, folder, surroundings, SECRET_BYTES_MAX)
  return orNone(file.kind === 'problem' ? file : checkSecret(file.text, 'this file'), surroundings.secrets)
}

const CLOSED: Found = { kind: 'found', text: '' }

const orNone = (found: Found, secrets: Surroundings['secrets']): Found =>
  found.kind === 'problem' && secrets === 'unneeded' ? { kind: 'found', text: '' } : found

/** A file of certificates in PEM, each of which can be read; empty when files are closed. */
export async function certificatesFromFile(path: string, folder: string, surroundings: Surroundings): Promise<Found> {
  if (surroundings.files === 'closed') return CLOSED
  const file = await readText(path, folder, surroundings, CA_BYTES_MAX)
  if (file.kind === 'problem') return file
  const blocks = file.text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0)
    return problem('this file holds no certificate in PEM form', 'It begins with -----BEGIN CERTIFICATE-----')
  for (const [at, block] of blocks.entries()) {
    try {
      new X509Certificate(block)
    } catch {
      return problem(`certificate ${at + 1} of this file cannot be read`, null)
    }
  }
  return { kind: 'found', text: file.text }
}

/** A file in PEM, whatever it holds; empty when files are closed. */
export async function pemFromFile(path: string, folder: string, surroundings: Surroundings): Promise<Found> {
  return surroundings.files === 'closed' ? CLOSED : readText(path, folder, surroundings, SECRET_BYTES_MAX)
}

/** A secret written into the configuration itself, which its operator must have allowed. */
export function inlineSecret(value: string, isAllowed: boolean): Found {
  if (isAllowed) return checkSecret(value, 'this value')
  return problem(
    'a secret is not written into this file, which is copied, shown and kept in version control',
    'Name where it is: env: NAME_OF_VARIABLE, or file: /path/of/secret (allow_inline_secrets: true allows it here)',
  )
}

async function readText(path: string, folder: string, { readFile }: Surroundings, bytesMax: number): Promise<Found> {
  try {
    const bytes = await readFile(isAbsolute(path) ? path : join(folder, path), bytesMax + 1)
    if (bytes.byteLength > bytesMax) return problem(`this file is larger than ${bytesMax} bytes`, null)
    return { kind: 'found', text: new TextDecoder().decode(bytes) }
  } catch (error) {
    const relative = isAbsolute(path) ? null : 'A relative path begins at the folder of the configuration file.'
    return problem(`this file cannot be used: ${readFailure(error)}`, relative)
  }
}

function checkSecret(given: string, what: string): Found {
  const text = given.trim()
  if (text === '') return problem(`${what} is empty`, null)
  if (!HEADER_SAFE.test(text)) {
    return problem(
      `the secret in ${what} has spaces, line breaks or letters that no HTTP header can carry`,
      'Store the secret alone.',
    )
  }
  return { kind: 'found', text }
}

const problem = (reason: string, suggestion: string | null): Found => ({ kind: 'problem', reason, suggestion })
