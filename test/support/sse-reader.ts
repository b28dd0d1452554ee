/** One event as the HTML standard dispatches it. */
export interface SseEvent {
  readonly type: string
  readonly data: string
  readonly lastEventId: string
  /** When its last byte came, on the clock of `performance.now`. */
  readonly atMs: number
}

/** Parses an event stream by the letter of the HTML standard (9.2.6): an event without its blank line is never dispatched. */
export class SseReader {
  readonly events: SseEvent[] = []
  /** Lines that begin with a colon, without it. */
  readonly comments: string[] = []
  readonly #decoder = new TextDecoder('utf-8') // drops one leading byte order mark
  #line = ''
  #afterCr = false
  #data = ''
  #type = ''
  #lastEventId = ''

  push(bytes: Uint8Array, atMs: number): void {
    let text = this.#decoder.decode(bytes, { stream: true })
    if (this.#afterCr && text.startsWith('\n')) text = text.slice(1)
    else if (text === '') return
    this.#afterCr = text.endsWith('\r')
    const [first = '', ...lines] = text.split(/\r\n|\r|\n/)
    this.#line += first
    for (const line of lines) {
      this.#endLine(this.#line, atMs)
      this.#line = line
    }
  }

  #endLine(line: string, atMs: number): void {
    if (line === '') {
      this.#dispatch(atMs)
      return
    }
    const colon = line.indexOf(':')
    if (colon === 0) {
      this.comments.push(line.slice(1))
      return
    }
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') this.#data += `${value}\n`
    else if (field === 'event') this.#type = value
    else if (field === 'id' && !value.includes('\0')) this.#lastEventId = value
  }

  #dispatch(atMs: number): void {
    if (this.#data !== '') {
      const data = this.#data.slice(0, -1)
      this.events.push({ type: this.#type || 'message', data, lastEventId: this.#lastEventId, atMs })
    }
    this.#data = ''
    this.#type = ''
  }
}
