import { expect, test } from 'bun:test'
import { bearer, startGateway } from '../support/gateway.ts'
import { type RawRequest, rawClient, requestBytes } from '../support/raw-client.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { chat, HELLO } from '../support/wire-chat.ts'

const HOST = 'host: gw\r\n'
const BEYOND_64_KB = `x: ${'x'.repeat(70_000)}\r\n`

// docs/ERRORS.md lists these: a new version of the server may answer otherwise, and then the list is to be changed.
test('what is no request is answered by the HTTP server alone: no body, and the connection ends', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  for (const [bytes, status] of [
    ['\u0016\u0003\u0001 no HTTP\r\n\r\n', 400],
    ['GET /v1/models HTTP/1.1\r\n\r\n', 400],
    [`POST /v1/chat/completions HTTP/1.1\r\n${HOST}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`, 400],
    [`POST /v1/chat/completions HTTP/1.1\r\n${HOST}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n`, 400],
    [`GET /v1/models HTTP/1.1\r\n${HOST}folded: a\r\n b\r\n\r\n`, 400],
    [`GET /v1/models HTTP/1.1\r\n${HOST}${BEYOND_64_KB}\r\n`, 431],
    [`GET /v1/models HTTP/1.1\r\n${HOST}${'x: 1\r\n'.repeat(198)}\r\n`, 431],
    [`GET /v1/models HTTP/2.0\r\n${HOST}\r\n`, 505],
  ] as const) {
    await using client = rawClient(gateway.origin)
    await client.write(bytes)
    const answer = client.answer('GET')
    expect([await answer.status(), await answer.text()]).toEqual([status, ''])
    await client.ended()
  }
  await using client = rawClient(gateway.origin)
  await client.write(`FROBNICATE /v1/models HTTP/1.1\r\n${HOST}\r\n`)
  await client.ended()
  expect(client.arrivals).toEqual([])

  provider.script(completion('still there', 1, 1))
  expect(await chat(gateway).text()).toContain('still there')
})

// Of these, too: the request that was under way ends as one whose caller left.
test('what comes on a connection before an answer that is under way has ended takes the answer with it', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  const body = { model: 'm1', messages: HELLO }
  const request: RawRequest = { path: '/v1/chat/completions', headers: bearer(gateway), json: body }
  const bytes = requestBytes(gateway.origin, request)
  for (const [more, statuses] of [
    [bytes, []],
    ['\r\n', [400]],
  ] as const) {
    await using client = rawClient(gateway.origin)
    await client.write(Buffer.concat([bytes, Buffer.from(more)]))
    const answer = client.answer()
    expect(await Promise.all(statuses.map(() => answer.status()))).toEqual([...statuses])
    await client.ended()
    if (statuses.length === 0) expect(client.arrivals).toEqual([])
  }
  provider.script(completion('still there', 1, 1))
  expect(await chat(gateway).text()).toContain('still there')
})
