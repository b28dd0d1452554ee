/** A long text in pieces that are never cut within a character; none for an empty one. */
export function cutText(text: string): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + PIECE_CHARS)
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

const PIECE_CHARS = 65_536

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
