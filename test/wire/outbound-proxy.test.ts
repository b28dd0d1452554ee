import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { startGateway } from '../support/gateway.ts'
import { plain, rawServer } from '../support/raw-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { chat } from '../support/wire-chat.ts'

const CREDENTIAL = 'canary-user:canary-word'
const BASIC = Buffer.from(CREDENTIAL).toString('base64')
const COMPLETION = JSON.stringify({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'provider-m1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
})

test('requests leave through the proxy of their backend; its credential is told nowhere', async () => {
  using folder = temporaryFolder()
  let answer = 'HTTP/1.1 200 OK\r\n\r\n'
  // It is proxy and provider in one: what comes through the tunnel is answered by itself.
  await using proxy = await rawServer(async (peer) => {
    await peer.request()
    await peer.write(answer)
    for (;;) {
      await peer.request()
      await peer.write(plain(COMPLETION, { headers: ['content-type: application/json', 'connection: close'] }))
      peer.end()
    }
  })
  writeFileSync(folder.at('proxy.txt'), `${CREDENTIAL}\n`)
  const way = { url: `http://127.0.0.1:${proxy.port}`, credential: { file: folder.at('proxy.txt') } }
  const provider = { origin: 'http://provider.invalid:81' }
  await using gateway = await startGateway({ offers: { m1: [{ provider, backend: { proxy: way } }] } })
  expect(await chat(gateway).status()).toBe(200)
  expect(proxy.requests[0]?.head).toBe(
    `CONNECT provider.invalid:81 HTTP/1.1\r\nhost: provider.invalid:81\r\nproxy-authorization: Basic ${BASIC}`,
  )
  expect(proxy.requests[1]?.head).toStartWith('POST /v1/chat/completions HTTP/1.1\r\nhost: provider.invalid:81\r\n')
  answer = `HTTP/1.1 407 ${BASIC}\r\nproxy-authenticate: Basic realm="${CREDENTIAL}"\r\n\r\n`
  const refused = chat(gateway)
  expect(await refused.status()).toBe(502)
  const said = [await refused.text()]
  for (const path of ['/backends', '/config', '/slots'])
    said.push(JSON.stringify((await gateway.admin('GET', path)).body))
  await gateway.stop()
  said.push(gateway.logs())
  expect(gateway.logs()).toContain('"event":"request"')
  for (const place of said) {
    expect(place).not.toContain('canary')
    expect(place).not.toContain(BASIC)
  }
})
