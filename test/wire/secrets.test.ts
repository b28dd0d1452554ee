import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startGateway } from '../support/gateway.ts'
import { json, refuse } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, event, finish, role, sse, text } from '../support/sse.ts'
import { chat, streamChat } from '../support/wire-chat.ts'

const PROMPT = 'canary-prompt-7f3a'
const ANSWER = 'canary-answer-91bc'
const OWN_SECRET = 'sk-own-canary-0123456789'

test('no key, credential, prompt or answer is in any log line, error or file', async () => {
  await using provider = await scriptedProvider()
  await using gone = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }], m2: [{ provider: gone }] } })
  const messages = [{ role: 'user', content: PROMPT }]
  const said: string[] = []
  const own = { provider: 'mock', name: 'own', secret: OWN_SECRET }
  const credential = await gateway.admin('POST', '/accounts/test/credentials', own)
  expect(credential.status).toBe(201)
  said.push(JSON.stringify(credential.body))
  provider.script(
    json(401, { error: { message: `Incorrect API key provided: ${OWN_SECRET}` } }),
    completion(ANSWER, 1, 1),
    sse(role(), text(ANSWER), finish()),
    json(500, { error: { message: `key sk-provider-canary-0123456789 ${PROMPT}` } }),
    json(401, { error: { message: 'Incorrect API key provided: sk-provider-canary-0123456789' } }),
    sse(role(), text(ANSWER)),
    json({ error: { message: `refused: ${PROMPT}`, type: 'overloaded', code: PROMPT.repeat(9) } }),
    sse(event({ error: { message: `refused: ${PROMPT}` } })),
    sse(role(), text(ANSWER), event({ error: { message: `refused: ${PROMPT}` } })),
  )
  gone.script(refuse())
  await chat(gateway, { messages }).text()
  const ownPath = `/accounts/test/credentials/${credential.body.id}`
  expect((await gateway.admin('PATCH', ownPath, { enabled: false })).status).toBe(200) // what follows is the operator's
  said.push(JSON.stringify((await gateway.admin('GET', ownPath)).body))
  await streamChat(gateway, { messages }).text()
  for (const model of ['m1', 'm1', 'm2', 'nothing']) said.push(await chat(gateway, { messages, model }).text())
  said.push(JSON.stringify(await gateway.admin('GET', '/quarantine'))) // what the 401 left
  await gateway.admin('DELETE', '/quarantine/b0')
  await streamChat(gateway, { messages }).text()
  said.push(await chat(gateway, { messages }).text())
  said.push(await streamChat(gateway, { messages }).text())
  await streamChat(gateway, { messages }).text()
  said.push(await chat(gateway, { messages: PROMPT }).text())
  await gateway.stop()

  const files = readdirSync(gateway.dataFolder).filter((name) => name.endsWith('.db') || name.endsWith('-wal'))
  expect(files).toContain('ledger.db')
  const stored = files.map((name) => readFileSync(join(gateway.dataFolder, name)).toString('latin1'))
  for (const canary of [gateway.key, OWN_SECRET, 'sk-provider-canary-0123456789', PROMPT, ANSWER]) {
    for (const place of [gateway.logs(), ...said, ...stored]) expect(place).not.toContain(canary)
  }
  expect(gateway.logs()).toContain('"event":"request"')
  expect(gateway.logs()).toContain('the provider reported an error (status 200, overloaded)')
})
