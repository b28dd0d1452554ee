/** Takes apart the event at `[start, end)`, with line ends of any kind. A byte order mark before the first line is passed over. */
export function sseEvent(bytes: Uint8Array, start: number, end: number): SseEvent {
  let name: string | null = null
  const data: Uint8Array[] = []
  const comments: Uint8Array[] = []
  let at = bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf ? start + 3 : start
  while (at < end) {
    let lineEnd = at
    while (lineEnd < end && bytes[lineEnd] !== LINE_FEED && bytes[lineEnd] !== RETURN) lineEnd++
    const line = bytes.subarray(at, lineEnd)
    const colon = line.indexOf(COLON)
    const field = Buffer.from(colon < 0 ? line : line.subarray(0, colon)).toString('latin1')
    if (colon === 0) comments.push(line)
    else if (field === 'data') data.push(fieldValue(line, colon))
    else if (field === 'event') name = Buffer.from(fieldValue(line, colon)).toString()
    at = lineEnd + 1
  }
  return { name, data: data.length > 0 ? joined(data) : null, comments: Buffer.concat(comments.flatMap(withFeed)) }
}

/** One server-sent event, taken apart. Its `id` and `retry` are left out: nobody in our trade uses them. */
export interface SseEvent {
  /** The `event` field; null when there is none. */
  readonly name: string | null
  /** The `data` lines, joined by LF; null when there is none. */
  readonly data: Uint8Array | null
  /** The comment lines as they came, each with its colon, in LF form; empty when there is none. */
  readonly comments: Uint8Array
}

const LINE_FEED = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const COLON = 0x3a
const FEED = Buffer.from('\n')

function fieldValue(line: Uint8Array, colon: number): Uint8Array {
  if (colon < 0) return line.subarray(line.length)
  return line.subarray(colon + (line[colon + 1] === SPACE ? 2 : 1))
}

const withFeed = (line: Uint8Array): readonly Uint8Array[] => [line, FEED]

function joined(lines: readonly Uint8Array[]): Uint8Array {
  const [only] = lines
  return lines.length === 1 && only !== undefined ? only : Buffer.concat(lines.flatMap(withFeed)).subarray(0, -1)
}
