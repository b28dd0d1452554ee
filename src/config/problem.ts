/** What is wrong with a configuration, for a person: where, why, what to write instead. Never holds a secret. */
export interface Problem {
  /** Keys from the top, e.g. `providers.acme.backends.acme-ca.url`; empty for the file as a whole. */
  readonly path: string
  /** Counted from 1; null when the problem has no place in the file. */
  readonly line: number | null
  readonly column: number | null
  readonly reason: string
  readonly suggestion: string | null
}

const PROBLEMS_SHOWN_MAX = 25

/** Problems as text for a terminal: `file:line:column path`, the reason, the suggestion; the first 25 of them. */
export function formatProblems(problems: readonly Problem[], file: string | null): string {
  const blocks = problems.slice(0, PROBLEMS_SHOWN_MAX).map((problem) => {
    const place = [file ?? 'configuration', problem.line, problem.column].filter((part) => part !== null).join(':')
    const lines = [problem.path === '' ? place : `${place}  ${problem.path}`, `  ${problem.reason}`]
    if (problem.suggestion !== null) lines.push(`  -> ${problem.suggestion}`)
    return lines.join('\n')
  })
  const hidden = problems.length - blocks.length
  if (hidden > 0) blocks.push(`… and ${hidden} more.`)
  return `${blocks.join('\n')}\n`
}

const NAME_CHARS_MAX = 80

/** A name from the file as a message shows it: of bounded length. */
export const clip = (name: string): string =>
  name.length > NAME_CHARS_MAX ? `${name.slice(0, NAME_CHARS_MAX)}…` : name
