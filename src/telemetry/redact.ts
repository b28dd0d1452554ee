/** What a log line may carry beside its event: flat values, under names in snake_case. */
export type LogFields = Readonly<Record<string, LogValue>> & { readonly [Name in SecretName]?: never }

export type LogValue = string | number | boolean | null | undefined

/** Names under which a secret or a prompt would travel: the compiler refuses them, and should one come all the same, its value is not written. */
const SECRET_NAMES = [
  'authorization',
  'proxy_authorization',
  'secret',
  'key',
  'api_key',
  'x_api_key',
  'token',
  'password',
  'cookie',
  'body',
  'prompt',
  'messages',
] as const

type SecretName = (typeof SECRET_NAMES)[number]

const SECRETS: ReadonlySet<string> = new Set(SECRET_NAMES)
// Second line of defence, for texts that come from elsewhere (a provider that repeats the credential it refused).
const SECRET_TEXT = /\b(?:sk|ak|rk|pk)[-_][A-Za-z0-9_-]{8,}|\bbearer\s+\S+/gi
const TEXT_CHARS_MAX = 2000
const REDACTED = '[redacted]'

/** The fields as they may be written: no value under a secret's name, nothing that looks like a secret, no text beyond 2,000 characters. */
export function redact(fields: Readonly<Record<string, unknown>>): Record<string, LogValue> {
  const line: Record<string, LogValue> = {}
  for (const name of Object.keys(fields)) {
    const value = fields[name]
    if (value !== undefined) line[name] = isSecretName(name) ? REDACTED : cleanValue(value)
  }
  return line
}

/**
 * The fields as JSON, looked at once as a whole, when that shows that there is nothing to redact: what nearly every line comes to. Null when
 * they must be looked at one by one.
 */
export function plainText(fields: Readonly<Record<string, unknown>>): string | null {
  for (const name in fields) {
    const value = fields[name]
    if ((typeof value === 'object' && value !== null) || typeof value === 'bigint' || isSecretName(name)) return null
  }
  const text = JSON.stringify(fields)
  // An escape may part what would be found in the text itself.
  const isPlain = text.length <= TEXT_CHARS_MAX && !text.includes('\\') && text.search(SECRET_TEXT) < 0
  return isPlain ? text : null
}

const judged = new Map<string, boolean>()
const JUDGED_MAX = 1000 // names are written in code: there are some dozens

function isSecretName(name: string): boolean {
  const known = judged.get(name)
  if (known !== undefined) return known
  const isSecret = SECRETS.has(name.toLowerCase().replaceAll('-', '_'))
  if (judged.size < JUDGED_MAX) judged.set(name, isSecret)
  return isSecret
}

function cleanValue(value: unknown): LogValue {
  switch (typeof value) {
    case 'string':
      return cleanText(value)
    case 'number':
    case 'boolean':
      return value
    default:
      return value === null ? null : REDACTED // no objects: what is in them has no name here
  }
}

function cleanText(text: string): string {
  const short = text.length > TEXT_CHARS_MAX ? `${text.slice(0, TEXT_CHARS_MAX).toWellFormed()}…` : text
  return short.replace(SECRET_TEXT, REDACTED)
}
