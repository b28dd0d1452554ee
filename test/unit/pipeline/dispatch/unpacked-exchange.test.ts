import { describe, expect, test } from 'bun:test'
import zlib from 'node:zlib'
import type { Exchange, ExchangeFailure, ReplyHead } from '../../../../src/agents/index.ts'
import { unpackedExchange } from '../../../../src/pipeline/dispatch/unpacked-exchange.ts'
import type { ExchangeDouble } from '../../../support/agent-double.ts'
import { createHouseDouble, seededRandom } from '../../../support/house.ts'
import { PACKINGS } from '../../../support/packed.ts'
import { end, reset, send, sendBytes, status } from '../../../support/script.ts'
import { breathe } from '../../../support/wire.ts'

/** An exchange under way, with all that is reported of it, and how it ends. */
function sent(onHead: () => void = () => {}) {
  const world = createHouseDouble()
  const agent = world.agent('north')
  const slot = agent.take()
  if (slot === null) throw new Error('no slot')
  const { promise: over, resolve } = Promise.withResolvers<'end' | ExchangeFailure>()
  const heads: ReplyHead[] = []
  const pieces: Uint8Array[] = []
  const reports: unknown[] = []
  const ended = (how: 'end' | ExchangeFailure): void => {
    reports.push(how)
    resolve(how)
  }
  const observer = {
    head(head: ReplyHead) {
      heads.push(head)
      onHead()
    },
    body: (bytes: Uint8Array) => pieces.push(bytes),
    end: () => ended('end'),
    failure: ended,
  }
  const request = {
    method: 'GET',
    target: '/',
    headers: [],
    body: null,
    limits: { connectMs: 1, idleMs: 1 },
    resend: 'stale',
  } as const
  const exchange: Exchange = unpackedExchange(agent, slot, request, observer)
  const [provider] = agent.exchanges
  if (provider === undefined) throw new Error('nothing was sent')
  return { exchange, provider, heads, pieces, reports, over, text: () => Buffer.concat(pieces).toString() }
}

const head = (encoding: string, code = 200) => ({
  status: code,
  headers: { 'content-type': 'text/plain', 'content-encoding': encoding, 'content-length': '7' },
})
const until = async (provider: ExchangeDouble, isPaused: boolean) =>
  isPaused ? await provider.paused() : await provider.resumed()

test('what is not encoded is passed on as it is, in the same tick', () => {
  for (const encoding of [null, '', 'identity', ' Identity ']) {
    const { provider, heads, pieces } = sent()
    const headers = encoding === null ? { 'content-length': '2' } : { 'content-encoding': encoding }
    provider.play({ status: 200, headers }, send('ab'))
    expect(heads).toEqual([{ status: 200, headers: Object.entries(headers) as [string, string][] }])
    expect(Buffer.concat(pieces).toString()).toBe('ab')
  }
})

test.each(PACKINGS)('$name is unpacked, and the head no longer speaks of it', async ({ encoding, pack }) => {
  const { provider, heads, over, text } = sent()
  provider.play(head(encoding), sendBytes(pack(Buffer.from('Hello'))), end())
  expect(await over).toBe('end')
  expect(text()).toBe('Hello')
  expect(heads).toEqual([{ status: 200, headers: [['content-type', 'text/plain']] }])
})

test('its other name, and capitals, are read too', async () => {
  for (const name of ['x-gzip', 'GZIP', 'identity, gzip']) {
    const { provider, over, text } = sent()
    provider.play(head(name), sendBytes(zlib.gzipSync('Hello')), end())
    expect([await over, text()]).toEqual(['end', 'Hello'])
  }
})

describe('what cannot be unpacked', () => {
  test.each([
    ['an unknown encoding', 'compress', Buffer.from('x'), 'is none that is read: compress'],
    ['several', 'gzip, br', Buffer.from('x'), 'is none that is read: gzip, br'],
    ['a broken one', 'gzip', Buffer.from('no gzip at all'), 'is broken'],
    ['a short one', 'gzip', zlib.gzipSync('Hello').subarray(0, -1), 'is broken'],
    ['a bomb', 'br', zlib.brotliCompressSync(Buffer.alloc(8 * 1024 * 1024)), 'unpacks to more than'],
  ])('is a failure: %s', async (_name, encoding, bytes, words) => {
    const { provider, over } = sent()
    provider.play(head(encoding), sendBytes(bytes), end())
    expect(await over).toMatchObject({
      kind: 'failed',
      reason: 'framing',
      sent: true,
      message: expect.stringContaining(words),
    })
    expect(provider.state).not.toBe('open')
  })

  test('is the end of an answer whose status is an error', async () => {
    for (const encoding of ['gzip', 'compress']) {
      const { provider, heads, over, text } = sent()
      provider.play(head(encoding, 429), send('no gzip at all'))
      expect([await over, text(), heads[0]?.status]).toEqual(['end', '', 429])
      expect(provider.state).toBe('aborted')
    }
  })
})

test('an error in gzip is read as any other', async () => {
  const { provider, over, text } = sent()
  provider.play(
    status(400, '', { 'content-encoding': 'gzip' }).steps[0] ?? end(),
    sendBytes(zlib.gzipSync('why')),
    end(),
  )
  expect([await over, text()]).toEqual(['end', 'why'])
})

test('what came before a cut is reported before it', async () => {
  const { provider, over, text } = sent()
  const flushed = zlib.deflateSync('Hello', { finishFlush: zlib.constants.Z_SYNC_FLUSH })
  provider.play(head('deflate'), sendBytes(flushed), reset())
  expect(await over).toMatchObject({ kind: 'failed', reason: 'reset' })
  expect(text()).toBe('Hello')
})

test('a body that is unpacked whole, and was cut behind that, is no whole answer', async () => {
  const { provider, over, text } = sent()
  provider.play(head('gzip'), sendBytes(zlib.gzipSync('Hello')), reset())
  expect(await over).toMatchObject({ kind: 'failed', reason: 'reset' })
  expect(text()).toBe('Hello')
})

test('an observer that takes no more stops the provider and the unpacking; a full unpacker stops the provider alone', async () => {
  const { exchange, provider, over, text } = sent()
  const body = Buffer.from(seededRandom().bytes(400_000)).toString('latin1')
  const packed = zlib.gzipSync(body)
  provider.play(head('gzip'))
  exchange.pause()
  expect(provider.isPaused).toBe(true)
  for (let at = 0; at < packed.length; at += 16_384) provider.play(sendBytes(packed.subarray(at, at + 16_384)))
  expect(text()).toBe('')
  exchange.resume()
  expect(provider.isPaused).toBe(true)
  await until(provider, false) // the unpacker has taken what lay before it
  provider.play(end())
  expect(await over).toBe('end')
  expect(text()).toBe(body)
})

test('an unpacker that is full stops the provider; one that has room again lets it go on unless the observer waits', async () => {
  const { exchange, provider, over, text } = sent()
  const body = Buffer.from(seededRandom().bytes(200_000)).toString('latin1')
  provider.play(head('gzip'), sendBytes(zlib.gzipSync(body)))
  expect(provider.isPaused).toBe(true)
  exchange.pause()
  for (let turn = 0; turn < 50; turn++) await breathe()
  expect([provider.isPaused, text()]).toEqual([true, ''])
  exchange.resume()
  await until(provider, false)
  provider.play(end())
  expect(await over).toBe('end')
  expect(text()).toBe(body)
})

test('who aborts at the head hears nothing of an encoding that is not read', () => {
  const { exchange, provider, heads, reports } = sent(() => exchange.abort())
  provider.play(head('compress'))
  expect([heads.length, reports, provider.state]).toEqual([1, [], 'aborted'])
})

test('after an abort nothing is reported', async () => {
  const { exchange, provider, pieces } = sent()
  provider.play(head('gzip'), sendBytes(zlib.gzipSync('Hello')))
  exchange.abort()
  expect(provider.state).toBe('aborted')
  const other = sent()
  other.provider.play(head('gzip'), sendBytes(zlib.gzipSync('Hello')), end())
  await other.over // as long as unpacking takes
  expect(pieces).toEqual([])
})
