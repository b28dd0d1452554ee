import { isFieldValue } from '../../lib/index.ts'
import type { CallerHead, PassedOn } from '../dialect.ts'

/** The version that is meant where a caller names none: the one that every server of this dialect knows. */
const VERSION = '2023-06-01'

/**
 * What goes on of a caller's head: `anthropic-version`, which the provider must be told, `anthropic-beta`, which callers of OpenRouter call
 * `x-anthropic-beta`, and `?beta=true`, with which SDKs ask for what is not settled yet. Without a caller the version alone.
 */
export function passedOn(caller: CallerHead | null): PassedOn {
  if (caller === null) return { headers: [['anthropic-version', VERSION]], query: '' }
  const { headers, url } = caller
  const said = (name: string): string => {
    const value = headers.get(name) ?? ''
    return isFieldValue(value) ? value : ''
  }
  const version = said('anthropic-version') || VERSION
  const beta = [said('anthropic-beta'), said('x-anthropic-beta')].filter(Boolean).join(',')
  return {
    headers: [['anthropic-version', version], ...(beta === '' ? [] : [['anthropic-beta', beta] as const])],
    query: url.endsWith(BETA) ? BETA : '',
  }
}

const BETA = '?beta=true'
