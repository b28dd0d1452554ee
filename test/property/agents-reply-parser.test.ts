import { describe, expect, test } from 'bun:test'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import type { ReplyHead } from '../../src/agents/index.ts'
import { ReplyParser } from '../../src/agents/reply-parser.ts'

// Bun's own llhttp, as the oracle and nothing else. The module is internal and has no types.
const { HTTPParser } = createRequire(import.meta.url)('node:_http_common')

/** Of each kind: 20,000 in the property lane. */
const RUNS = 4 * Number(process.env.ANYROUTER_RUNS ?? 100)

/** What a parser made of a message that was followed by FIN. */
interface Reading {
  readonly verdict: 'complete' | 'refused'
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
  readonly mayKeep: boolean
  readonly error: string
}

function readOurs(packets: readonly Buffer[]): Reading {
  const parser = new ReplyParser()
  const heads: ReplyHead[] = []
  let body = ''
  const sink = {
    head: (head: ReplyHead) => heads.push(head),
    body: (bytes: Buffer) => {
      expect(bytes.length).toBeGreaterThan(0)
      body += bytes.toString('latin1')
    },
  }
  for (const packet of packets) parser.push(packet, sink)
  const { mayKeep } = parser
  const verdict = parser.finish() === 'complete' ? 'complete' : 'refused'
  expect(heads.length).toBeLessThan(2)
  return {
    verdict,
    status: heads[0]?.status ?? 0,
    headers: heads[0]?.headers ?? [],
    body,
    mayKeep,
    error: parser.error,
  }
}

function readTheirs(packets: readonly Buffer[]): Reading {
  const parser = new HTTPParser()
  parser.initialize(HTTPParser.RESPONSE, {}, 65_536, HTTPParser.kLenientNone)
  const seen = { status: 0, headers: [] as [string, string][], body: '', keep: false, isDone: false }
  parser[HTTPParser.kOnHeaders] = () => {} // trailers
  parser[HTTPParser.kOnHeadersComplete] = (...told: unknown[]) => {
    const [, minor, flat, , , status, , , keep] = told as [
      number,
      number,
      string[],
      0,
      0,
      number,
      string,
      boolean,
      boolean,
    ]
    if (!seen.isDone && (status >= 200 || status < 100)) {
      seen.status = status
      seen.headers = flat
        .flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), flat[at + 1] ?? ''] as const] : []))
        .map(([name, value]) => [name, value])
      seen.keep = keep && minor === 1
    }
    return 0
  }
  parser[HTTPParser.kOnBody] = (bytes: Buffer) => {
    if (!seen.isDone) seen.body += bytes.toString('latin1')
  }
  parser[HTTPParser.kOnMessageComplete] = () => {
    if (seen.status !== 0) seen.isDone = true
  }
  let error = ''
  let hasExtra = false
  for (const packet of lastByteApart(packets)) {
    if (seen.isDone) hasExtra = true // llhttp passes over empty lines in silence: only the place tells
    const result: unknown = error === '' ? parser.execute(packet) : 0
    if (result instanceof Error) error = 'code' in result ? String(result.code) : result.message
  }
  const { isDone, status, headers, body, keep } = seen
  if (error === '' && !isDone) parser.finish()
  const mayKeep = isDone && keep && !hasExtra
  return { verdict: seen.isDone ? 'complete' : 'refused', status, headers, body, mayKeep, error }
}

const token = fc.string({ unit: fc.constantFrom(..."abzAZ09-_.!#'*+^|~"), minLength: 1, maxLength: 12 })
const visible = fc.constantFrom(...'azAZ09 \t,;:="/\\\x80\xa0\xff')
const value = fc.string({ unit: visible, maxLength: 20 })
const plainField = fc.tuple(
  token.map((name) => `x-${name}`),
  value,
)
const lifeField = fc.oneof(
  fc.tuple(fc.constantFrom('Connection', 'connection'), fc.constantFrom('close', 'Keep-Alive', 'x, Close')),
  fc.tuple(fc.constant('Keep-Alive'), fc.constantFrom('timeout=5', 'max=3, timeout=7', '')),
)
const blank = fc.string({ unit: fc.constantFrom(' ', '\t'), maxLength: 2 })
const lineOf = (field: fc.Arbitrary<[string, string]>): fc.Arbitrary<string> =>
  fc.tuple(field, blank, blank).map(([[name, text], before, after]) => `${name}:${before}${text}${after}\r\n`)
const plainLine = lineOf(plainField)
const fieldLine = fc.oneof({ weight: 5, arbitrary: plainLine }, { weight: 2, arbitrary: lineOf(lifeField) })
const fieldLines = fc.array(fieldLine, { maxLength: 8 })
const bytes = fc.string({ unit: fc.constantFrom(...'ab\r\n0: \0\xff'), maxLength: 60 })

const chunk = fc
  .tuple(
    fc.string({ unit: fc.constantFrom(...'ab\r\n0;'), minLength: 1, maxLength: 40 }),
    fc.nat(3),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([data, zeros, isUpper, isExtended]) => {
    const hex = '0'.repeat(zeros) + data.length.toString(16)
    return `${isUpper ? hex.toUpperCase() : hex}${isExtended ? ';name=value' : ''}\r\n${data}\r\n`
  })
const chunked = fc
  .tuple(fc.array(chunk, { maxLength: 5 }), fc.array(plainLine, { maxLength: 2 }))
  .map(([chunks, trailers]) => `${chunks.join('')}0\r\n${trailers.join('')}\r\n`)

/** Fields that say how the body ends, and the body. */
const framed = fc.oneof(
  bytes.map((body) => ({ line: `Content-Length: ${body.length}\r\n`, body })),
  chunked.map((body) => ({ line: 'Transfer-Encoding: Chunked\r\n', body })),
  bytes.map((body) => ({ line: '', body })),
)
const interim = fc
  .tuple(fc.constantFrom(100, 102, 103), fc.array(plainLine, { maxLength: 3 }))
  .map(([status, lines]) => `HTTP/1.1 ${status} So far\r\n${lines.join('')}\r\n`)
const message = fc
  .record({
    interims: fc.array(interim, { maxLength: 2 }),
    minor: fc.constantFrom(0, 1, 1, 1),
    status: fc.constantFrom(200, 200, 200, 201, 204, 304, 400, 429, 503, 999),
    reason: fc.constantFrom('', ' ', ' OK', ' Not here: at all', ' \xe9'),
    before: fieldLines,
    framed,
    after: fieldLines,
    extra: fc.constantFrom('', '', '', 'x', '\r\n', 'HTTP/1.1 200 OK\r\n\r\n'),
  })
  .map(({ interims, minor, status, reason, before, framed: { line, body }, after, extra }) => {
    const head = `HTTP/1.${minor} ${status}${reason}\r\n${before.join('')}${line}${after.join('')}\r\n`
    const isBodiless = status === 204 || status === 304
    return interims.join('') + head + (isBodiless ? '' : body) + extra
  })

/** Cuts at the given places (fractions of the length) into packets, none of them empty. */
function packetsOf(text: string, cuts: readonly number[]): Buffer[] {
  const whole = Buffer.from(text, 'latin1')
  const places = [...new Set([0, ...cuts.map((cut) => Math.floor(cut * whole.length)), whole.length])].sort(
    (a, b) => a - b,
  )
  return places
    .slice(1)
    .map((end, at) => whole.subarray(places[at], end))
    .filter((packet) => packet.length > 0)
}
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 })

function lastByteApart(packets: readonly Buffer[]): Buffer[] {
  const last = packets.at(-1) ?? Buffer.alloc(0)
  return [...packets.slice(0, -1), last.subarray(0, -1), last.subarray(-1)].filter((packet) => packet.length > 0)
}

/** One byte put in, taken out or changed, the rest cut off, or a field put in that speaks against the framing. */
const damage = fc.record({
  kind: fc.constantFrom('insert', 'replace', 'remove', 'cut', 'field'),
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  byte: fc.constantFrom(...'\r\n \t:;,0123afgxHT/.\0\x01\x7f\xff'),
  line: fc.constantFrom(
    'Content-Length: 3\r\n',
    'content-length: 3, 3\r\n',
    'Content-Length: 0x3\r\n',
    'Content-Length: -1\r\n',
    'Content-Length: 99999999999999999999\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: gzip, chunked\r\n',
    'Transfer-Encoding: identity\r\n',
    ' folded\r\n',
    'no colon\r\n',
    ': no name\r\n',
    'blank : x\r\n',
  ),
})

function damaged(
  text: string,
  { kind, at, byte, line }: { kind: string; at: number; byte: string; line: string },
): string {
  const place = Math.floor(at * text.length)
  const lineStart = text.indexOf('\r\n') + 2
  if (kind === 'insert') return text.slice(0, place) + byte + text.slice(place)
  if (kind === 'replace') return text.slice(0, place) + byte + text.slice(place + 1)
  if (kind === 'remove') return text.slice(0, place) + text.slice(place + 1)
  if (kind === 'cut') return text.slice(0, place)
  return text.slice(0, lineStart) + line + text.slice(lineStart)
}

/** Where we refuse on purpose what llhttp takes. */
const STRICTER = [
  'the status line is not one of', // an empty line before it, status 000 to 099, a control character in the reason
  'a control character or a bare line end in the head',
  'a bare line end in the head',
  'a transfer-encoding other than chunked',
  'more than one transfer-encoding',
  'status 101',
]

describe('ReplyParser against llhttp', () => {
  test('sound messages, split anywhere: the same head, body and fate of the connection', () => {
    fc.assert(
      fc.property(message, cuts, (text, where) => {
        const packets = packetsOf(text, where)
        const { error: _ours, ...ours } = readOurs(packets)
        const { error: _theirs, ...theirs } = readTheirs(packets)
        expect(ours).toEqual(theirs)
        expect(ours.verdict).toBe('complete')
      }),
      { numRuns: RUNS },
    )
  })

  test('damaged messages: what we take they take alike, and what we refuse alone we refuse on purpose', () => {
    fc.assert(
      fc.property(message, fc.array(damage, { minLength: 1, maxLength: 3 }), cuts, (text, damages, where) => {
        const packets = packetsOf(damages.reduce(damaged, text), where)
        const ours = readOurs(packets)
        const theirs = readTheirs(packets)
        if (ours.verdict === 'complete' && !isLooser(ours, theirs)) {
          expect({ ...theirs, error: '' }).toEqual({ ...ours, error: '' })
        }
        if (ours.verdict === 'refused' && theirs.verdict === 'complete') {
          expect(STRICTER.find((reason) => ours.error.startsWith(reason)) ?? ours.error).toBeOneOf(STRICTER)
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('the same bytes mean the same however they are split', () => {
    fc.assert(
      fc.property(message, fc.array(damage, { maxLength: 2 }), cuts, (text, damages, where) => {
        const bytesOf = damages.reduce(damaged, text)
        const { error: _whole, ...whole } = readOurs(packetsOf(bytesOf, []))
        const { error: _split, ...split } = readOurs(packetsOf(bytesOf, where))
        expect(split).toEqual(whole)
      }),
      { numRuns: RUNS },
    )
  })
})

/** Where we take on purpose what llhttp refuses: length beside coding (and the connection goes), any visible chunk extension. */
function isLooser(ours: Reading, theirs: Reading): boolean {
  if (theirs.error === 'HPE_STRICT') return true
  const isBoth = ['HPE_INVALID_TRANSFER_ENCODING', 'HPE_INVALID_CONTENT_LENGTH'].includes(theirs.error)
  return isBoth && !ours.mayKeep
}
