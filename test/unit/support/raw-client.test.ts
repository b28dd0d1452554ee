import { describe, expect, test } from 'bun:test'
import { rawClient, rawRequest } from '../../support/raw-client.ts'
import { end, gate, json, raw, script, send, status } from '../../support/script.ts'
import { scriptedProvider } from '../../support/scripted-provider.ts'
import { breathe } from '../../support/wire.ts'

const GET = { method: 'GET', path: '/' }
const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`

describe('rawClient', () => {
  test('reads answers of every framing', async () => {
    await using provider = await scriptedProvider()
    const chunked = `${head('transfer-encoding: chunked')}3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nserver-timing: a\r\n\r\n`
    provider.script(
      raw(`HTTP/1.1 100 Continue\r\n\r\n${head('content-length: 3')}abc`),
      raw(chunked),
      raw('HTTP/1.1 204 No Content\r\nx: y\r\n\r\n'),
      raw(`${head()}until the end`).then({ close: true }),
    )
    await using client = rawClient(provider.origin)
    expect(await client.send(GET).text()).toBe('abc')
    const second = client.send(GET)
    expect(await second.text()).toBe('abcde')
    expect(second.trailers).toEqual([['server-timing', 'a']])
    const third = client.send(GET)
    expect(await third.text()).toBe('')
    expect(await third.head()).toMatchObject({ status: 204, reason: 'No Content', headers: [['x', 'y']] })
    expect(await client.send(GET).text()).toBe('until the end')
  })

  test('an answer to HEAD has no body, whatever its length says', async () => {
    await using provider = await scriptedProvider()
    provider.script(raw(head('content-length: 3')), json(1))
    await using client = rawClient(provider.origin)
    expect(await client.send({ method: 'HEAD', path: '/' }).text()).toBe('')
    expect(await client.send(GET).json()).toBe(1)
  })

  test('several requests may be under way on one connection', async () => {
    await using provider = await scriptedProvider()
    provider.script(json('a'), json('b'))
    await using client = rawClient(provider.origin)
    const [first, second] = [client.send(GET), client.send(GET)]
    expect([await first.json(), await second.json()]).toEqual(['a', 'b'])
  })

  test('notes what came and when, in order', async () => {
    await using provider = await scriptedProvider()
    provider.script(script({ status: 200 }, send('a'), gate('on'), send('b'), end()))
    await using client = rawClient(provider.origin)
    const answer = client.send(GET)
    await answer.until('a')
    const releasedMs = performance.now()
    provider.release('on')
    await answer.until('b')
    expect(await answer.ended()).toBe('complete')
    const [first, second] = answer.pieces
    expect(first?.atMs).toBeLessThan(releasedMs)
    expect(second?.atMs).toBeGreaterThanOrEqual(releasedMs)
    expect(Buffer.concat(client.arrivals.map(({ bytes }) => bytes)).toString()).toEndWith(
      '\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n',
    )
  })

  test('a paused client takes no more than the buffers hold, and all of it after resume', async () => {
    await using provider = await scriptedProvider()
    const block = 'x'.repeat(1 << 20)
    const blocks = 64 // more than the kernel buffers of both sides hold
    provider.script(script({ status: 200 }, { send: block, times: blocks }, gate('written'), end()))
    await using client = rawClient(provider.origin)
    await client.pause()
    const answer = client.send(GET)
    await provider.arrived()
    let written = false
    void provider.reached('written').then(() => {
      written = true
    })
    for (let turn = 0; turn < 50; turn++) await breathe()
    expect(written).toBe(false)
    expect(client.arrivals.length).toBe(0)
    client.resume()
    provider.release('written')
    expect((await answer.text()).length).toBe(blocks << 20)
  })

  test('tells its own leaving from an end by the other side', async () => {
    await using provider = await scriptedProvider()
    provider.script(script({ status: 200 }, send('a'), gate('never')))
    const answer = rawRequest(provider.origin, GET)
    await answer.until('a')
    answer.hangUp()
    expect(await answer.ended()).toBe('left')
    await expect(answer.text()).rejects.toThrow('the answer was left after "a"')
    await expect(answer.until('b')).rejects.toThrow('without "b"')
  })

  test('a dial that fails is an answer that was cut', async () => {
    const provider = await scriptedProvider()
    await provider[Symbol.asyncDispose]()
    const answer = rawRequest(provider.origin, GET)
    expect(await answer.ended()).toBe('cut')
    await expect(answer.head()).rejects.toThrow('ended before a head')
  })

  test('sends exact bytes', async () => {
    await using provider = await scriptedProvider()
    provider.script(status(400, 'no'))
    await using client = rawClient(provider.origin)
    await client.write('GET /a b HTTP/1.1\r\nHost:x\r\n\r\n')
    expect(await client.answer('GET').text()).toBe('no')
    expect(provider.requests[0]?.raw.toString()).toBe('GET /a b HTTP/1.1\r\nHost:x\r\n\r\n')
  })
})
