import { describe, expect, test } from 'bun:test'
import zlib from 'node:zlib'
import { startGateway } from '../support/gateway.ts'
import { PACKINGS, type Packing, packedFlushed } from '../support/packed.ts'
import { end, gate, type Part, script, sendBytes, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, event, finish, role, sse, text, usage } from '../support/sse.ts'
import { chat, errorOf, eventually, settlementOf, streamChat, timingOf } from '../support/wire-chat.ts'

const JSON_BODY = bytesOf(completion('Hello from afar', 10, 5))
const EVENTS = [role(), text('Hel'), text('lo'), finish(), usage(10, 5), done()].map(bytesOf)
const CHARGED = { end: 'settled', reason: 'completed', usage_source: 'reported', charged_nano: 90_000 }

/** What a script sends as its body. */
function bytesOf(part: Part): Buffer {
  return Buffer.concat(script(part).steps.map(({ send = '' }) => Buffer.from(send)))
}

const head = (type: string, encoding: string) => ({
  status: 200,
  headers: { 'content-type': type, 'content-encoding': encoding },
})
const encodedJson = (encoding: string, ...pieces: readonly Uint8Array[]): Part =>
  script(head('application/json', encoding), ...pieces.map(sendBytes), end())
const encodedSse = (encoding: string, ...pieces: readonly Uint8Array[]): Part =>
  script(head('text/event-stream', encoding), ...pieces.map(sendBytes), end())
const byteByByte = (bytes: Uint8Array): Uint8Array[] => Array.from(bytes, (byte) => Uint8Array.of(byte))

describe.each(PACKINGS)('a plain answer in $name', ({ encoding, pack }: Packing) => {
  test('is unpacked, without the headers of its encoding, charged by its usage', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    const packed = pack(JSON_BODY)
    provider.script(encodedJson(encoding, packed))
    const answer = chat(gateway)
    const { header } = await answer.head()
    const body = await answer.text()
    expect(JSON.parse(body)).toMatchObject({ model: 'm1', choices: [{ message: { content: 'Hello from afar' } }] })
    expect(header('content-encoding')).toBeNull()
    expect(header('content-length')).toBe(String(Buffer.byteLength(body)))
    timingOf(await answer.head())
    expect((await provider.arrived()).header('accept-encoding')).toBe('identity')
    expect(await settlementOf(gateway)).toMatchObject(CHARGED)
  })

  test('is unpacked byte by byte', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    provider.script(encodedJson(encoding, ...byteByByte(pack(JSON_BODY))))
    expect(await chat(gateway).text()).toContain('Hello from afar')
  })
})

describe.each(PACKINGS)('a stream in $name', (packing: Packing) => {
  const { encoding, pack } = packing

  test('each event that was flushed is delivered before the next is made', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    const [first, second, rest] = await packedFlushed(packing, [
      EVENTS.slice(0, 2).join(''),
      EVENTS.slice(2, 3).join(''),
      EVENTS.slice(3).join(''),
    ])
    if (first === undefined || second === undefined || rest === undefined) throw new Error('three pieces')
    provider.script(
      script(
        head('text/event-stream', encoding),
        sendBytes(first),
        gate('second'),
        sendBytes(second),
        gate('rest'),
        sendBytes(rest),
        end(),
      ),
    )
    const answer = streamChat(gateway)
    await answer.until('"Hel"')
    expect(answer.textSoFar).not.toContain('"lo"')
    provider.release('second')
    await answer.until('"lo"')
    provider.release('rest')
    expect(await answer.text()).toEndWith('data: [DONE]\n\n')
    expect((await answer.head()).header('content-encoding')).toBeNull()
    expect(await settlementOf(gateway)).toMatchObject(CHARGED)
  })

  test('byte by byte it is the same as the plain one', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    provider.script(
      sse(role(), text('Hel'), text('lo'), finish(), usage(10, 5), done()),
      encodedSse(encoding, ...byteByByte(pack(Buffer.concat(EVENTS)))),
    )
    const plain = await streamChat(gateway).text()
    expect(await streamChat(gateway).text()).toBe(plain)
  })
})

describe.each(PACKINGS)('an answer in $name that is not what it says', ({ encoding, pack }: Packing) => {
  test('cut short, broken or a bomb: a failed attempt, and the next backend serves', async () => {
    await using bad = await scriptedProvider()
    await using good = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider: bad }, { provider: good }] } })
    good.script(completion('from the second', 2, 2))
    const packed = pack(JSON_BODY)
    const bodies = [
      packed.subarray(0, -1),
      Buffer.concat([packed, Buffer.from('tail')]),
      Buffer.from(JSON_BODY), // says that it is encoded, and is not
      pack(Buffer.alloc(4 * 1024 * 1024, ' ')),
    ]
    for (const body of bodies) {
      bad.script(encodedJson(encoding, body))
      expect(await chat(gateway).text()).toContain('from the second')
    }
    expect(bad.requests.length).toBe(bodies.length)
    await eventually(async () => gateway.logs().match(/"reason":"framing"/g)?.length === bodies.length || undefined)
  })
})

test('a stream whose encoding breaks after its first content is no success', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  const packed = zlib.gzipSync(Buffer.concat(EVENTS.slice(0, 2)), { finishFlush: zlib.constants.Z_SYNC_FLUSH })
  provider.script(
    script(head('text/event-stream', 'gzip'), sendBytes(packed), gate('half'), sendBytes(Buffer.from('?!')), end()),
  )
  const answer = streamChat(gateway)
  await answer.until('"Hel"')
  provider.release('half')
  expect(await answer.text()).not.toContain('[DONE]')
  expect(JSON.parse(answer.events.at(-1)?.data ?? '{}').error.code).toBe('stream_broken')
  expect(await settlementOf(gateway)).toMatchObject({ reason: 'provider_broken', usage_source: 'estimate' })
})

test('a whole stream whose gzip trailer is missing is no success without [DONE], and one with it', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  const cut = (events: readonly Uint8Array[]) =>
    encodedSse('gzip', zlib.gzipSync(Buffer.concat([...events]), { finishFlush: zlib.constants.Z_SYNC_FLUSH }))
  provider.script(cut(EVENTS.slice(0, -1)), cut(EVENTS))
  expect(await streamChat(gateway).text()).not.toContain('[DONE]')
  expect(await streamChat(gateway).text()).toEndWith('data: [DONE]\n\n')
})

test('an encoding that is not known is a failed attempt', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  for (const encoding of ['compress', 'gzip, br', 'aes128gcm']) {
    provider.script(encodedJson(encoding, JSON_BODY))
    expect(await errorOf(chat(gateway))).toMatchObject({ status: 502, code: 'provider_failed' })
  }
})

test('an error that is encoded keeps its words; one that cannot be unpacked keeps its status', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  const error = zlib.brotliCompressSync(JSON.stringify({ error: { message: 'too hot', param: 'temperature' } }))
  const headers = { 'content-type': 'application/json', 'content-encoding': 'br' }
  provider.script(script({ status: 400, headers }, sendBytes(error), end()))
  expect(await errorOf(chat(gateway))).toMatchObject({ status: 400, message: 'too hot', param: 'temperature' })
  provider.script(status(429, 'no br at all', { ...headers, 'retry-after': '3' }))
  const throttled = await errorOf(chat(gateway))
  expect(throttled).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
  expect(throttled.head.header('retry-after')).toBe('3')
})

test('a bomb of a stream after its first content ends it as broken', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, balanceUsd: null })
  const bomb = Buffer.from(
    bytesOf(event({ choices: [{ index: 0, delta: { content: 'z'.repeat(60_000) } }] }))
      .toString()
      .repeat(200),
  )
  provider.script(encodedSse('br', zlib.brotliCompressSync(bomb)))
  const answer = streamChat(gateway, { max_tokens: 4000 })
  await answer.text()
  expect(JSON.parse(answer.events.at(-1)?.data ?? '{}').error.code).toBe('stream_broken')
  expect(answer.bodySoFar.length).toBeLessThan(4 * 1024 * 1024)
})
