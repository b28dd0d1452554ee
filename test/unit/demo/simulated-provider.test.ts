import { afterEach, describe, expect, test } from 'bun:test'
import { type Dials, type SimulatedProvider, simulatedProvider } from '../../../src/demo/index.ts'
import type { Clock } from '../../../src/lib/index.ts'
import { heldClock, hurriedClock } from './support.ts'

const open: SimulatedProvider[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((provider) => provider.close()))
})

const DIALS: Dials = {
  latencyMs: 20,
  heldRequestsMax: 2,
  models: {
    fast: { tokensPerSecond: null, failsOneOf: 0, talk: '' },
    slow: { tokensPerSecond: 20, failsOneOf: 0, talk: '' },
    flaky: { tokensPerSecond: null, failsOneOf: 3, talk: '' },
  },
}

function start(clock: Clock = hurriedClock()) {
  const provider = simulatedProvider({ name: 'north', secret: 'sk-x', dials: DIALS, clock })
  open.push(provider)
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${provider.baseUrl}${path}`, { headers: { authorization: 'Bearer sk-x' }, ...init })
  const chat = (fields: object, init: RequestInit = {}) =>
    call('/chat/completions', {
      method: 'POST',
      body: JSON.stringify({ model: 'fast', messages: [{ role: 'user', content: 'Hello' }], ...fields }),
      ...init,
    })
  return { call, chat }
}

const eventsOf = async (response: Response) =>
  (await response.text())
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => event.replace('data: ', ''))

describe('a simulated provider', () => {
  test('answers a plain request with usage, after its latency', async () => {
    const clock = hurriedClock()
    const response = await start(clock).chat({})
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      id: 'chatcmpl-north-1',
      object: 'chat.completion',
      created: 1_800_000_000,
      model: 'fast',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello from north. I am a simulated provider.' },
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 9, completion_tokens: 10, total_tokens: 19 },
    })
    expect(clock.waitedMs).toEqual([20])
  })

  test('a plain answer takes as long as its tokens', async () => {
    const clock = hurriedClock()
    await (await start(clock).chat({ model: 'slow' })).json()
    expect(clock.waitedMs).toEqual([20, 500])
  })

  test('streams role, tokens at their speed, finish, usage when asked for, and the end', async () => {
    const clock = hurriedClock()
    const response = await start(clock).chat({
      model: 'slow',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 2,
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const events = await eventsOf(response)
    expect(events.pop()).toBe('[DONE]')
    const chunks = events.map((event) => JSON.parse(event))
    expect(chunks.map(({ choices, usage }) => usage ?? choices[0].delta)).toEqual([
      { role: 'assistant', content: '' },
      { content: 'Hello' },
      { content: ' from' },
      {},
      { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
    ])
    expect(chunks[3].choices[0].finish_reason).toBe('length')
    expect(clock.waitedMs).toEqual([20, 50, 50])
  })

  test('streams no usage when it was not asked for', async () => {
    const events = await eventsOf(await start().chat({ stream: true }))
    expect(events.join('\n')).not.toContain('usage')
  })

  test('calls tools, plain and streamed', async () => {
    const { chat } = start()
    const tools = [
      { type: 'function', function: { name: 'look', parameters: { properties: { at: { type: 'string' } } } } },
    ]
    const { choices } = (await (await chat({ tools })).json()) as {
      choices: [{ message: { content: null; tool_calls: object[] } }]
    }
    expect(choices[0].message).toMatchObject({
      content: null,
      tool_calls: [{ type: 'function', function: { name: 'look', arguments: '{"at":"demo"}' } }],
    })
    const deltas = (await eventsOf(await chat({ tools, stream: true })))
      .slice(1, 3)
      .map((event) => JSON.parse(event).choices[0].delta)
    expect(deltas).toMatchObject([
      { tool_calls: [{ index: 0, type: 'function', function: { name: 'look', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"at":"demo"}' } }] },
    ])
  })

  test('fails in a fixed pattern', async () => {
    const { chat } = start()
    const statuses: number[] = []
    for (let at = 0; at < 7; at++) statuses.push((await chat({ model: 'flaky' })).status)
    expect(statuses).toEqual([500, 200, 200, 500, 200, 200, 500])
  })

  test('lists its models', async () => {
    const { data } = (await (await start().call('/models')).json()) as { data: { id: string }[] }
    expect(data.map(({ id }) => id)).toEqual(['fast', 'slow', 'flaky'])
  })

  test('refuses in the form of OpenAI', async () => {
    const { call, chat } = start()
    expect((await call('/models', { headers: {} })).status).toBe(401)
    expect((await call('/nothing')).status).toBe(404)
    const broken = await chat({}, { body: '{' })
    expect(broken.status).toBe(400)
    const unknown = await chat({ model: 'toString' })
    expect(unknown.status).toBe(404)
    expect(await unknown.json()).toMatchObject({ error: { code: 'model_not_found', param: 'model' } })
    const none = await chat({ n: 0 })
    expect(none.status).toBe(400)
    expect(await none.json()).toMatchObject({ error: { type: 'invalid_request_error', param: 'n' } })
  })

  test('a full one answers 429; ended and abandoned requests give their place back', async () => {
    const clock = heldClock()
    const { chat } = start(clock)
    const leave = new AbortController()
    const first = chat({})
    const second = chat({}, { signal: leave.signal }).catch(() => 'left')
    await clock.waiting(2)
    const full = await chat({})
    expect(full.status).toBe(429)
    expect(full.headers.get('retry-after')).toBe('1')
    leave.abort()
    expect(await second).toBe('left')
    clock.release()
    expect((await first).status).toBe(200)
    const [again, andAgain] = [chat({}), chat({})]
    await clock.waiting(2)
    clock.release()
    expect([(await again).status, (await andAgain).status]).toEqual([200, 200])
  })

  test('a stream that is hung up gives its place back', async () => {
    // Tokens never come on this clock: only the hang-up can end these streams.
    const clock = {
      ...hurriedClock(),
      after: (delayMs: number, callback: () => void) => (delayMs === 50 ? () => {} : later(callback)),
    }
    const { chat } = start(clock)
    const leave = new AbortController()
    const streams = [
      chat({ model: 'slow', stream: true }, { signal: leave.signal }),
      chat({ model: 'slow', stream: true }, { signal: leave.signal }),
    ]
    for (const stream of streams)
      expect((await (await stream).body?.getReader().read())?.value?.byteLength).toBeGreaterThan(0)
    expect((await chat({})).status).toBe(429)
    leave.abort()
    let status = 429 // the provider learns of the hang-up in its own time
    while (status === 429) status = (await chat({})).status
    expect(status).toBe(200)
  })
})

const later = (callback: () => void) => {
  setImmediate(callback)
  return () => {}
}
