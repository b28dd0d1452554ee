import { nearest } from '../lib/index.ts'

const NAMES_SHOWN_MAX = 8
/** After many problems nobody reads the suggestions, and a search takes time with the length of the file. */
const PROBLEMS_SUGGESTED_MAX = 50

/** What to write instead of a name that the file does not have; `what` it would name. Null after `problemsBefore` too many. */
export function nameSuggestion(
  what: 'model' | 'backend',
  name: string,
  known: ReadonlySet<string>,
  problemsBefore: number,
): string | null {
  if (known.size === 0) return `This file has no ${what}.`
  if (problemsBefore >= PROBLEMS_SUGGESTED_MAX) return null
  const [near] = nearest(name, known, 1)
  return near === undefined ? `Known: ${[...known].slice(0, NAMES_SHOWN_MAX).join(', ')}` : `Did you mean '${near}'?`
}
