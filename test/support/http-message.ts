import type { Wire } from './wire.ts'

export type Headers = (readonly [name: string, value: string])[]

/** All values of a header, whatever its capitals. */
export const headerValues = (headers: Headers, name: string): string[] =>
  headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value)

/** Splits a message head (start line and header lines) that ends in a blank line. Bytes are read as latin1. */
export function parseHead(head: Buffer): { startLine: string; headers: Headers } {
  const [startLine = '', ...lines] = head.toString('latin1').split(/\r?\n/)
  const headers: Headers = []
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()])
  }
  return { startLine, headers }
}

/** Where a body ends (RFC 9112, 6.3). */
export type Framing =
  | { readonly kind: 'chunked' | 'until_close' | 'none' }
  | { readonly kind: 'length'; readonly size: number }

/** The framing that the headers declare; `otherwise` when they declare none. */
export function framingOf(headers: Headers, otherwise: 'until_close' | 'none'): Framing {
  if (headerValues(headers, 'transfer-encoding').some((value) => /\bchunked\b/i.test(value))) return { kind: 'chunked' }
  const length = headerValues(headers, 'content-length')[0]
  return length !== undefined && /^\d+$/.test(length) ? { kind: 'length', size: Number(length) } : { kind: otherwise }
}

export interface BodySink {
  bytes(bytes: Buffer): void
  trailers?(trailers: Headers): void
}

/** Reads one body, without its framing; true when it came to its proper end. */
export async function readBody(wire: Wire, framing: Framing, sink: BodySink): Promise<boolean> {
  switch (framing.kind) {
    case 'none':
      return true
    case 'length':
      return readExactly(wire, framing.size, sink)
    case 'chunked':
      return readChunks(wire, sink)
    case 'until_close': {
      for (let piece = await wire.some(); piece !== null; piece = await wire.some()) sink.bytes(piece)
      return !wire.wasReset
    }
  }
}

async function readExactly(wire: Wire, size: number, sink: BodySink): Promise<boolean> {
  for (let left = size; left > 0; ) {
    const piece = await wire.some(left)
    if (piece === null) return false
    left -= piece.length
    sink.bytes(piece)
  }
  return true
}

async function readChunks(wire: Wire, sink: BodySink): Promise<boolean> {
  for (;;) {
    const sizeLine = await wire.until('\r\n')
    const size = /^([0-9a-f]+)(?:;.*)?\r\n$/i.exec(sizeLine?.toString('latin1') ?? '')?.[1]
    if (size === undefined) return false
    if (Number.parseInt(size, 16) === 0) return readTrailers(wire, sink)
    if (!(await readExactly(wire, Number.parseInt(size, 16), sink))) return false
    if ((await wire.until('\r\n'))?.length !== 2) return false
  }
}

async function readTrailers(wire: Wire, sink: BodySink): Promise<boolean> {
  const lines: Buffer[] = []
  for (;;) {
    const line = await wire.until('\r\n')
    if (line === null) return false
    if (line.length > 2) lines.push(line)
    else break
  }
  sink.trailers?.(parseHead(Buffer.concat([Buffer.from('\r\n'), ...lines])).headers)
  return true
}
