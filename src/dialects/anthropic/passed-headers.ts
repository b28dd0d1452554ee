/** The version that is meant where a caller names none: the one that every server of this dialect knows. */
const VERSION = '2023-06-01'

/**
 * What goes on of a caller's head: `anthropic-version`, which the provider must be told, and `anthropic-beta`, which callers of OpenRouter call
 * `x-anthropic-beta`. Without a caller the version alone.
 */
export function passedHeaders(caller: Headers | null): readonly (readonly [name: string, value: string])[] {
  const version = caller?.get('anthropic-version') || VERSION
  const beta = [caller?.get('anthropic-beta'), caller?.get('x-anthropic-beta')].filter(Boolean).join(',')
  return [['anthropic-version', version], ...(beta === '' ? [] : [['anthropic-beta', beta] as const])]
}
