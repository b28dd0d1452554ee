import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AnswerMark,
  type Dialect,
  type PublicError,
  type ReplyStream,
  type ReplyView,
  type RequestFacts,
  type RequestPatch,
  type StreamEvent,
  surfaceOf,
} from '../../../src/dialects/index.ts'
import { GatewayError, type OperationName, type ProviderError, type Usage } from '../../../src/domain/index.ts'

/**
 * The conformance suite: what every dialect must do, with its own bytes in `test/fixtures/<name>/`. A folder of files for
 * requests, replies, streams and errors, and in `expected/` for each what the dialect must make of it. A file that no
 * expectation names fails.
 */
export function dialectSuite(dialect: Dialect, folder: string): void {
  const fixtures = openFixtures(folder)
  describe(`dialect ${dialect.name}`, () => {
    describe('requests', () => requestTests(dialect, fixtures))
    describe('replies', () => replyTests(dialect, fixtures))
    describe('streams', () => streamTests(dialect, fixtures))
    describe('errors', () => errorTests(dialect, fixtures))
    describe('for all', () => generalTests(dialect))
  })
}

/** A stream's events and end, as text to compare. */
export interface StreamPlayed {
  readonly events: readonly (readonly [kind: string, text: string])[]
  readonly usage: Usage | null
  readonly textBytes: number
  readonly finished: boolean
  readonly closing: string
}

/** Plays a stream in these pieces. Each piece is wiped after it was pushed, as one may who reads into the same memory again. */
export function playStream(stream: ReplyStream, pieces: readonly Uint8Array[]): StreamPlayed {
  const events: StreamEvent[] = []
  for (const piece of pieces) {
    const bytes = new Uint8Array(piece)
    events.push(...stream.push(bytes))
    bytes.fill(0)
  }
  events.push(...stream.end())
  return {
    events: events.map((event) => [event.kind, event.kind === 'error' ? event.error.message : text(event.bytes)]),
    usage: stream.usage,
    textBytes: stream.textBytes,
    finished: stream.finished,
    closing: text(stream.closing()),
  }
}

/** The stream fixtures of a dialect, for further tests of the same bytes. */
export function streamFixtures(folder: string): readonly { name: string; view: ReplyView; bytes: Uint8Array }[] {
  const { expected, bytes } = openFixtures(folder)
  return expected<StreamExpected>('streams').map(({ name, file, view }) => ({
    name,
    view: viewOf(view),
    bytes: bytes('streams', file),
  }))
}

type Kind = 'requests' | 'replies' | 'streams' | 'errors'

interface RequestExpected {
  readonly name: string
  /** Of chat completions when absent. */
  readonly operation?: OperationName
  readonly file: string
  readonly facts: Partial<RequestFacts>
  readonly writes: readonly { readonly patch: RequestPatch; readonly body: string }[]
}

interface ReplyExpected {
  readonly name: string
  readonly file: string
  readonly view: ViewExpected
  readonly reply: Readonly<Record<string, unknown>>
}

interface StreamExpected extends StreamPlayed {
  readonly name: string
  readonly file: string
  readonly view: ViewExpected
}

/** Of an answer to a chat completion when it names no operation. */
type ViewExpected = Omit<ReplyView, 'operation'> & Partial<Pick<ReplyView, 'operation'>>

const viewOf = (view: ViewExpected): ReplyView => ({ operation: 'chat.completions', ...view })

interface ErrorExpected {
  readonly name: string
  readonly file: string
  readonly status: number
  readonly error: ProviderError
}

interface Fixtures {
  expected<Row>(kind: Kind): readonly Row[]
  bytes(kind: Kind, file: string): Uint8Array
  files(kind: Kind): readonly string[]
}

const PUBLIC_ERROR: PublicError = {
  status: 502,
  message: 'All 2 backends failed:\nsee "attempts"',
  type: 'server_error',
  code: 'provider_failed',
  param: null,
  requestId: 'req_1',
  extra: { attempts: [{ backend: 'north' }] },
}
const SURFACES = (['openai', 'openrouter', 'anthropic', 'openrouter-messages'] as const).map(surfaceOf)
const MARK: AnswerMark = {
  operation: 'chat.completions',
  id: 'gen-1',
  createdS: 1_789_000_000,
  model: 'demo/fast',
  provider: 'north',
}
const VIEW: ReplyView = { operation: 'chat.completions', model: 'demo/fast', showUsage: false }

function openFixtures(folder: string): Fixtures {
  return {
    expected: (kind) => JSON.parse(readFileSync(join(folder, 'expected', `${kind}.json`), 'utf8')),
    bytes: (kind, file) => readFileSync(join(folder, kind, file)),
    files: (kind) => readdirSync(join(folder, kind)).sort(),
  }
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

function coversAll(fixtures: Fixtures, kind: Kind): void {
  test('every file has its expectation', () => {
    const rows = fixtures.expected<{ file: string }>(kind)
    expect([...new Set(rows.map((row) => row.file))].sort()).toEqual([...fixtures.files(kind)])
  })
}

function requestTests(dialect: Dialect, fixtures: Fixtures): void {
  coversAll(fixtures, 'requests')
  for (const {
    name,
    operation = 'chat.completions',
    file,
    facts: wanted,
    writes,
  } of fixtures.expected<RequestExpected>('requests')) {
    test(name, () => {
      const body = fixtures.bytes('requests', file)
      const facts = dialect.readRequest(operation, body)
      expect<unknown>({ ...facts, body: undefined, layout: undefined }).toEqual({
        ...wanted,
        body: undefined,
        layout: undefined,
      })
      for (const write of writes) expect(text(dialect.writeRequest(facts, write.patch))).toBe(write.body)
      expect(text(body)).toBe(text(fixtures.bytes('requests', file)))
    })
  }
}

function replyTests(dialect: Dialect, fixtures: Fixtures): void {
  coversAll(fixtures, 'replies')
  for (const { name, file, view, reply: wanted } of fixtures.expected<ReplyExpected>('replies')) {
    test(name, () => {
      const reply = dialect.readReply(fixtures.bytes('replies', file), viewOf(view))
      const seen = reply.kind === 'answer' ? { ...reply, body: text(reply.body) } : reply
      expect<unknown>(seen).toEqual(wanted)
    })
  }
}

function streamTests(dialect: Dialect, fixtures: Fixtures): void {
  coversAll(fixtures, 'streams')
  for (const { name, file, view, ...wanted } of fixtures.expected<StreamExpected>('streams')) {
    const bytes = fixtures.bytes('streams', file)
    test(name, () => expect(playStream(dialect.openStream(viewOf(view)), [bytes])).toEqual(wanted))
    test(`${name}, byte by byte`, () => {
      const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
      expect(playStream(dialect.openStream(viewOf(view)), pieces)).toEqual(wanted)
    })
  }
}

function errorTests(dialect: Dialect, fixtures: Fixtures): void {
  coversAll(fixtures, 'errors')
  for (const { name, file, status, error } of fixtures.expected<ErrorExpected>('errors')) {
    test(name, () => {
      const read = dialect.readError(status, fixtures.bytes('errors', file))
      expect(read).toEqual(error)
      expect(read.message.length).toBeLessThanOrEqual(2000)
    })
  }
}

function generalTests(dialect: Dialect): void {
  describe.each(SURFACES.filter(({ dialect: name }) => name === dialect.name))('its surface $name', (surface) => {
    test('an error that is written can be read again', () => {
      const { message } = PUBLIC_ERROR
      expect(dialect.readError(200, surface.writeError(PUBLIC_ERROR))).toMatchObject({ message })
    })

    test('an error event that is written is the error of a stream, and nothing comes after it', () => {
      const stream = dialect.openStream(VIEW)
      const event = surface.writeErrorEvent(PUBLIC_ERROR, MARK)
      const played = playStream(stream, [Buffer.concat([event, event])])
      expect(played.events).toEqual([['error', PUBLIC_ERROR.message]])
      expect(played.finished).toBe(false)
      expect(played.closing).toBe('')
    })
  })

  test('an event beyond 4 MB breaks the stream, whole or in parts', () => {
    const megabyte = Buffer.alloc(1024 * 1024, 'data: x')
    const whole = Buffer.concat([...Array(4).fill(megabyte), Buffer.from('x\n\n')])
    expect(() => dialect.openStream(VIEW).push(whole)).toThrow(GatewayError)
    const stream = dialect.openStream(VIEW)
    for (let i = 0; i < 4; i++) expect(stream.push(megabyte)).toEqual([])
    expect(() => stream.push(megabyte)).toThrow(GatewayError)
  })

  test('without a credential no header is shown', () => {
    expect(dialect.credentialHeaders(null)).toEqual([])
    expect(JSON.stringify(dialect.credentialHeaders('sekret'))).toContain('sekret')
    for (const [name] of dialect.credentialHeaders('sekret')) expect(name).toBe(name.toLowerCase())
  })

  test('the path of each operation starts with a slash, and is of no other', () => {
    const paths = [...dialect.operations].map((operation) => dialect.path(operation))
    expect(paths).not.toBeEmpty()
    for (const path of paths) expect(path).toMatch(/^\/./)
    expect(new Set(paths).size).toBe(paths.length)
  })
}
