/** A backend's base URL, or what is wrong with it. */
export type BaseUrl =
  | { readonly kind: 'url'; readonly baseUrl: string }
  | { readonly kind: 'problem'; readonly reason: string; readonly suggestion: string | null }

/**
 * Checks a backend's base URL; the slash at its end is dropped. A text that may hold a secret (before an @, in a query) is never
 * repeated in the reason.
 */
export function checkBaseUrl(text: string): BaseUrl {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  // Spaces and line breaks would be left out or encoded, port 0 dialled: another URL than was meant.
  if (!hasScheme || /[\s\p{Cc}]/u.test(text) || !URL.canParse(text) || new URL(text).port === '0') {
    const example = /^[A-Za-z0-9.-]+(:\d+)?(\/[\w./-]*)?$/.test(text) ? `https://${text}` : 'https://api.example.com/v1'
    return problem('is not a URL', `Write it as ${example}`)
  }
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return problem('must begin with https:// or http://', null)
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/]*@/.test(text)) {
    return problem(
      'must not hold a user or a password',
      'Give the secret as a credential of the provider: { id: main, env: NAME_OF_VARIABLE }',
    )
  }
  if (/[?#]/.test(text)) return problem('must not have a query or a fragment', 'Leave out everything from ? or # on.')
  const path = url.pathname.replace(/\/+$/, '')
  const operation = /\/(chat\/completions|completions|models|messages|responses|embeddings)$/.exec(path)
  if (operation !== null) {
    return problem(
      `is the base of all paths: ${operation[0]} is added to it`,
      `Write it as ${url.origin}${path.slice(0, operation.index)}`,
    )
  }
  return { kind: 'url', baseUrl: `${url.origin}${path}` }
}

/** The path of a base URL that was checked: `/v1` of `https://host/v1`, nothing of `https://host`. */
export function basePath(baseUrl: string): string {
  const at = baseUrl.indexOf('/', baseUrl.indexOf('//') + 2)
  return at < 0 ? '' : baseUrl.slice(at)
}

const problem = (reason: string, suggestion: string | null): BaseUrl => ({ kind: 'problem', reason, suggestion })
