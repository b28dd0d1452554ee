/** A document that is not JSON, and where it stops being so. */
export class JsonError extends Error {
  override name = 'JsonError'
  /** What is wrong, without the position. Never quotes the document. */
  readonly problem: string
  /** Bytes from the document's start. */
  readonly offset: number
  /** Counted from 1. */
  readonly line: number
  /** Counted from 1, in characters. */
  readonly column: number

  /** `begin` and `at` are indexes into `bytes`: where the document starts, and where it is at fault. */
  constructor(problem: string, bytes: Uint8Array, begin: number, at: number) {
    let line = 1
    let lineStart = begin
    for (
      let feed = bytes.indexOf(LINE_FEED, begin);
      feed >= 0 && feed < at;
      feed = bytes.indexOf(LINE_FEED, feed + 1)
    ) {
      line++
      lineStart = feed + 1
    }
    let column = 1
    for (let i = lineStart; i < at; i++) if (!isContinuation(bytes[i] ?? 0)) column++
    super(`${problem} at line ${line}, column ${column} (byte ${at - begin})`)
    this.problem = problem
    this.offset = at - begin
    this.line = line
    this.column = column
  }
}

const LINE_FEED = 0x0a

/** A byte of UTF-8 that does not start a character. */
const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80
