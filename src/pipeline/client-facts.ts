import type { ClientFacts } from '../store/index.ts'

const TEXT_CHARS_MAX = 256
const TITLES = ['x-openrouter-title', 'x-anyrouter-title', 'x-title']

/** What a caller says of itself in its head, each at most 256 characters, and its session; null: nothing. */
export function clientFacts(headers: Headers, session: string | undefined): ClientFacts | null {
  const userAgent = beginning(headers.get('user-agent'))
  const referer = beginning(headers.get('http-referer') ?? headers.get('referer'))
  const title = beginning(firstOf(headers, TITLES))
  const known = session ?? beginning(headers.get('x-session-id'))
  const facts = {
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(referer === undefined ? {} : { referer }),
    ...(title === undefined ? {} : { title }),
    ...(known === undefined ? {} : { session: known }),
  }
  return Object.keys(facts).length === 0 ? null : facts
}

function firstOf(headers: Headers, names: readonly string[]): string | null {
  for (const name of names) {
    const value = headers.get(name)
    if (value !== null) return value
  }
  return null
}

const beginning = (text: string | null): string | undefined =>
  text === null || text === '' ? undefined : text.slice(0, TEXT_CHARS_MAX)
