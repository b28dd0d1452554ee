import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { rawClient, rawRequest } from '../../support/raw-client.ts'
import {
  close,
  gate,
  hang,
  html,
  json,
  raw,
  refuse,
  reset,
  script,
  send,
  silence,
  status,
} from '../../support/script.ts'
import { scriptedProvider, TLS_CERTIFICATE_PATH } from '../../support/scripted-provider.ts'
import { comment, completion, done, finish, role, sse, text, toolCall, usage } from '../../support/sse.ts'

const CHAT = { path: '/v1/chat/completions', json: { model: 'm', messages: [] } }

describe('scriptedProvider', () => {
  test('the n-th request plays the n-th script, the last one repeats', async () => {
    await using provider = await scriptedProvider()
    provider.script(status(429, json({ error: { message: 'slow down' } })), completion('Hello', 10, 5))
    await using client = rawClient(provider.origin)

    const first = client.send(CHAT)
    expect(await first.status()).toBe(429)
    expect(await first.json()).toEqual({ error: { message: 'slow down' } })
    for (let n = 0; n < 2; n++) {
      const answer = client.send(CHAT)
      expect(await answer.json()).toMatchObject({ usage: { prompt_tokens: 10, total_tokens: 15 } })
      expect((await answer.head()).header('Content-Type')).toBe('application/json')
    }
    expect(provider.requests.length).toBe(3)
    expect(provider.connections).toBe(1)
  })

  test('keeps every byte of a request, whatever its framing', async () => {
    await using provider = await scriptedProvider()
    provider.script(json({}))
    await using client = rawClient(provider.origin)
    await client.send({ path: '/v1/x?y=1', headers: { 'X-Odd': 'a  b' }, body: '{"a": 1.0}' }).ended()
    await client.send({ path: '/z', body: 'ab'.repeat(50), chunkBytes: 7 }).ended()

    const [plain, chunked] = provider.requests
    expect(plain?.raw.toString()).toBe(
      `POST /v1/x?y=1 HTTP/1.1\r\nhost: 127.0.0.1:${provider.port}\r\nX-Odd: a  b\r\ncontent-length: 10\r\n\r\n{"a": 1.0}`,
    )
    expect(plain).toMatchObject({ method: 'POST', target: '/v1/x?y=1', connection: 1, framingIntact: true })
    expect(plain?.header('x-odd')).toBe('a  b')
    expect(chunked?.body.toString()).toBe('ab'.repeat(50))
  })

  test('says so when a body and its framing do not fit', async () => {
    await using provider = await scriptedProvider()
    provider.script(json({}))
    await using client = rawClient(provider.origin)
    await client.write('POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\nabcd')
    expect((await provider.arrived()).framingIntact).toBe(false)
  })

  test('waits at a gate until it is released', async () => {
    await using provider = await scriptedProvider()
    provider.script(
      sse(comment('hold on'), role(), text('Hel'), gate('half'), text('lo'), finish(), usage(10, 5), done()),
    )
    await using answer = rawRequest(provider.origin, CHAT)
    await provider.reached('half')
    await answer.untilEvents(2)
    expect(answer.textSoFar).not.toContain('"lo"')
    provider.release('half')
    expect(await answer.text()).toContain('[DONE]')
    expect(answer.events.length).toBe(6)
    expect(answer.comments).toEqual([' hold on'])
  })

  test('notices a caller that leaves in the middle, and not one that leaves afterwards', async () => {
    await using provider = await scriptedProvider()
    provider.script(json({ whole: true }), sse(text('Hel'), hang()))
    const whole = rawRequest(provider.origin, CHAT)
    await whole.ended()
    whole.hangUp()
    await provider.connectionsEnded(1)

    const half = rawRequest(provider.origin, CHAT)
    await half.until('Hel')
    half.hangUp()
    await provider.peerClosed()
    await provider.peerClosed(2)
    expect(await half.ended()).toBe('left')
  })

  test('notices a caller that leaves while it waits at a gate, and one that never ends its body', async () => {
    await using provider = await scriptedProvider()
    provider.script(sse(text('a'), gate('never')), json({}))
    const waiting = rawRequest(provider.origin, CHAT)
    await provider.reached('never')
    waiting.hangUp()
    await provider.peerClosed(1)

    const client = rawClient(provider.origin)
    await client.write('POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\nabc')
    client.hangUp()
    await provider.peerClosed(2)
    expect(provider.requests[1]).toMatchObject({ framingIntact: false, body: Buffer.from('abc') })
  })

  test.each([
    ['reset', script(send('never sent'), reset())],
    ['close in the middle of a head', raw('HTTP/1.1 200 OK\r\ncontent-le').then(close())],
    ['close in the middle of a chunked body', sse(text('Hel'), close())],
    [
      'reset in the middle of a body',
      raw(Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')).then(reset()),
    ],
  ])('breaks off: %s', async (_, broken) => {
    await using provider = await scriptedProvider()
    provider.script(broken)
    expect(await rawRequest(provider.origin, CHAT).ended()).toBe('cut')
    await provider.connectionsEnded(1)
  })

  test('is silent, and answers pages', async () => {
    await using provider = await scriptedProvider()
    provider.script(html(503), silence())
    const page = rawRequest(provider.origin, CHAT)
    expect(await page.status()).toBe(503)
    expect(await page.text()).toContain('<html>')
    const silent = rawRequest(provider.origin, CHAT)
    await provider.arrived(2)
    expect(silent.textSoFar).toBe('')
    silent.hangUp()
    await provider.peerClosed(2)
  })

  test('refuses: nothing listens and no connection is kept, until it is given a script again', async () => {
    await using provider = await scriptedProvider()
    provider.script(json({}), refuse())
    expect(await rawRequest(provider.origin, CHAT).ended()).toBe('complete')
    await provider.connectionsEnded(1)
    expect(await rawRequest(provider.origin, CHAT).ended()).toBe('cut')
    expect(provider.connections).toBe(1)
    provider.script(json({}))
    expect(await rawRequest(provider.origin, CHAT).ended()).toBe('complete')
    expect(() => provider.script(refuse(), json({}))).toThrow('must be the last')
  })

  test('closes kept connections, and leaves busy ones alone', async () => {
    await using provider = await scriptedProvider()
    provider.script(json({}), sse(text('a'), gate('on'), done()))
    await using idle = rawClient(provider.origin)
    await idle.send(CHAT).ended()
    await using busy = rawClient(provider.origin)
    const answer = busy.send(CHAT)
    await provider.reached('on')
    provider.closeIdle()
    await idle.ended()
    expect(provider.connectionsOpen).toBe(1)
    provider.release('on')
    expect(await answer.ended()).toBe('complete')
  })

  test('speaks TLS', async () => {
    await using provider = await scriptedProvider({ tls: true })
    provider.script(completion('Hello', 1, 1))
    await using client = rawClient(provider.origin, { ca: readFileSync(TLS_CERTIFICATE_PATH, 'utf8') })
    expect(await client.send(CHAT).json()).toMatchObject({ object: 'chat.completion' })
    await using distrustful = rawClient(provider.origin)
    expect(await distrustful.send(CHAT).ended()).toBe('cut')
  })

  test('answers 500 when it has no script', async () => {
    await using provider = await scriptedProvider()
    expect(await rawRequest(provider.origin, CHAT).status()).toBe(500)
  })

  test('a tool call begins with its id and goes on without', async () => {
    await using provider = await scriptedProvider()
    provider.script(sse(toolCall({ id: 'call_1', name: 'f' }), toolCall({ arguments: '{"a"' }), done()))
    const answer = rawRequest(provider.origin, CHAT)
    await answer.ended()
    const deltas = answer.events.slice(0, 2).map(({ data }) => JSON.parse(data).choices[0].delta.tool_calls[0])
    expect(deltas).toEqual([
      { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } },
      { index: 0, function: { arguments: '{"a"' } },
    ])
  })

  test('plays the JSON steps of the cases', async () => {
    await using provider = await scriptedProvider()
    provider.script(
      script(
        { status: 200, headers: { 'content-type': 'text/event-stream' } },
        { send: 'data: x\n\n', times: 3, every_ms: 1 },
        { send_b64: Buffer.from('data: y\n\n').toString('base64'), times: 2000 },
        { sleep_ms: 1 },
        { end: true },
        { close_conn_after_ms: 1 },
      ),
    )
    await using client = rawClient(provider.origin)
    const answer = client.send(CHAT)
    expect(await answer.ended()).toBe('complete')
    expect(answer.events.length).toBe(2003)
    await client.ended()
  })

  test('a script is not taken for a promise', async () => {
    const awaited = Promise.resolve(json({}) as unknown)
    await expect(awaited).rejects.toThrow('it is no promise')
  })
})
