import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  clientWorld,
  embeddingsAnswer,
  helloStream,
  refuseEach,
  toolAnswer,
  toolStream,
} from '../support/client-world.ts'
import type { TestGateway } from '../support/gateway.ts'
import { runDemo } from '../support/run-demo.ts'
import { close, hang, json } from '../support/script.ts'
import { completion, role, sse, text } from '../support/sse.ts'
import { responseEvents, responseJson, responseSse } from '../support/wire-responses.ts'

const FOLDER = join(import.meta.dir, 'python')
const PYTHON = join(FOLDER, 'venv/bin/python')

/** A process that asks with the SDK, one command at a time. */
class Asker {
  readonly #child = Bun.spawn([PYTHON, join(FOLDER, 'ask.py')], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  readonly #reader = this.#child.stdout.getReader()
  readonly #decoder = new TextDecoder()
  #said = ''

  async ask(name: string, gateway: TestGateway, more: object = {}) {
    const command = { name, baseUrl: gateway.baseUrl, key: gateway.key, ...more }
    this.#child.stdin.write(`${JSON.stringify(command)}\n`)
    this.#child.stdin.flush()
    for (;;) {
      const at = this.#said.indexOf('\n')
      if (at >= 0) {
        const line = this.#said.slice(0, at)
        this.#said = this.#said.slice(at + 1)
        return JSON.parse(line)
      }
      const { done, value } = await this.#reader.read()
      if (done) throw new Error('the process of the SDK has ended')
      this.#said += this.#decoder.decode(value, { stream: true })
    }
  }

  end(): void {
    this.#child.kill()
  }
}

const CLASSES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  402: 'APIStatusError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  413: 'APIStatusError',
  422: 'UnprocessableEntityError',
  429: 'RateLimitError',
  502: 'InternalServerError',
}

function suite(): void {
  const asker = new Asker()
  afterAll(() => asker.end())
  const ask = (name: string, gateway: TestGateway, more?: object) => asker.ask(name, gateway, more)

  test('chat, plain and as a stream', async () => {
    await using world = await clientWorld(completion('Hello back', 9, 3), helloStream())
    const requestId = expect.stringMatching(/^req_/)
    expect(await ask('chat', world.gateway)).toEqual({ value: ['Hello back', 12, requestId] })
    expect(await ask('stream', world.gateway)).toEqual({ value: ['Hello', 12] })
  })

  test('tool round trips and an answer in a schema', async () => {
    const city = completion('{"city":"Oslo"}', 9, 3)
    await using world = await clientWorld(toolAnswer(), completion('It rains', 9, 3), toolStream(), city)
    expect(await ask('tool', world.gateway)).toEqual({ value: [{ city: 'Oslo' }, 'It rains'] })
    expect(await ask('tool_stream', world.gateway)).toEqual({ value: { city: 'Oslo' } })
    expect(await ask('schema', world.gateway)).toEqual({ value: 'Oslo' })
    expect((await world.provider.arrived(2)).json()).toMatchObject({
      messages: [{}, { tool_calls: [{ id: 'call_1' }] }, { role: 'tool', tool_call_id: 'call_1' }],
    })
  })

  test('embeddings and models', async () => {
    await using world = await clientWorld(embeddingsAnswer('base64'))
    const rows = [
      [1, 2],
      [0.5, -2],
    ]
    expect(await ask('embeddings', world.gateway)).toEqual({ value: rows })
    expect((await ask('models', world.gateway)).value).toContain('m1')
  })

  test('responses, plain and as a stream, and a form', async () => {
    const streamed = responseSse(responseEvents(['Hel', 'lo']))
    await using world = await clientWorld(responseJson(), streamed, json({ text: 'heard' }))
    expect(await ask('responses', world.gateway)).toEqual({ value: 'Hello' })
    expect(await ask('responses_stream', world.gateway)).toEqual({ value: 'Hello' })
    expect(await ask('transcription', world.gateway)).toEqual({ value: 'heard' })
  })

  test('each failure is the error class that SDK users catch', async () => {
    const { wanted, found } = await refuseEach(
      async (gateway, asked) => {
        const { status, ...error } = await ask('refused', gateway, asked)
        if (error.class !== CLASSES[status] || !String(error.request_id).startsWith('req_')) throw error
        throw status
      },
      (thrown) => thrown,
    )
    expect(found).toEqual(wanted)
  })

  test('a stream that breaks throws; who leaves in mid-stream ends it at the provider', async () => {
    await using world = await clientWorld(sse(role(), text('Hel'), close()), sse(role(), text('Hel'), hang()))
    expect((await ask('stream', world.gateway)).message).toContain('broke off')
    expect(await ask('leave', world.gateway)).toEqual({ value: 'left' })
    await world.provider.peerClosed(2)
  })

  test('fields that nobody knows go through, both ways', async () => {
    await using world = await clientWorld(completion('Hi', 9, 3, { extension: [1, null] }))
    expect((await ask('unknown', world.gateway)).value).toMatchObject({ extension: [1, null] })
    expect((await world.provider.arrived()).json()).toMatchObject({ from_tomorrow: { deep: [1, null] } })
  })

  test('what the README shows of it runs as it stands', async () => {
    await using demo = await runDemo()
    const readme = readFileSync(join(import.meta.dir, '../../README.md'), 'utf8')
    const [, snippet = ''] = /^```py\n([\s\S]*?)^```$/m.exec(readme) ?? []
    const child = Bun.spawn([PYTHON, '-'], {
      stdin: Buffer.from(snippet.replace('http://127.0.0.1:8080', demo.origin)),
      stdout: 'pipe',
      stderr: 'inherit',
    })
    expect(await child.stdout.text()).toMatch(/^Hello from (north|south)\. I am a simulated provider\./)
    expect(await child.exited).toBe(0)
  })
}

if (existsSync(PYTHON)) describe('openai-python', suite)
else test.skip('openai-python', () => {})
