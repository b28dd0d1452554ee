import { describe, expect, test } from 'bun:test'
import { settleMicrotasks } from '../../../support/fake-clock.ts'
import { MODEL } from '../../../support/house.ts'
import { html, json, type Part, reset, send, status } from '../../../support/script.ts'
import { comment, completion, done, finish, role, text, usage } from '../../../support/sse.ts'
import { attempt, listener, live, outcomeOf, SSE_HEAD, stream } from './attempt-kit.ts'

describe('what is sent', () => {
  test('path, headers with our credential, and the caller’s bytes with the fields of the gateway', async () => {
    await using made = attempt({ seed: 12345678901234567890n.toString(), stream: true }, { outputLimit: 77 })
    const { request, sentJson } = made.exchange
    expect(request.method).toBe('POST')
    expect(request.target).toBe('/v1/chat/completions')
    expect(Object.fromEntries(request.headers)).toEqual({
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
      'user-agent': 'anyrouter',
      authorization: 'Bearer sk-provider-north',
    })
    expect(request.limits).toEqual({ connectMs: 5000, idleMs: 120_000 })
    expect(sentJson).toMatchObject({ model: 'north-m', max_tokens: 77, stream_options: { include_usage: true } })
    expect(Buffer.from(made.plan.prepared.facts.body).toString()).not.toContain('north-m')
  })

  test('a plain request is not asked for usage, nor given a limit it needs not', async () => {
    await using made = attempt()
    expect(made.exchange.sentJson).not.toHaveProperty('stream_options')
    expect(made.exchange.sentJson).not.toHaveProperty('max_tokens')
    expect(Object.fromEntries(made.exchange.request.headers)).toMatchObject({ accept: 'application/json' })
  })

  test('no credential, no authorization', async () => {
    await using made = attempt({}, { backends: { north: { credential: null } } })
    expect(made.exchange.request.headers.map(([name]) => name)).not.toContain('authorization')
  })
})

describe('a plain answer', () => {
  test('is read when it is whole', async () => {
    await using made = attempt()
    made.exchange.play(completion('Hello', 10, 5))
    const end = await made.ended
    expect(end).toMatchObject({ kind: 'answered', reply: { kind: 'answer', usage: { input: 10, output: 5 } } })
    expect([made.world.clock.timers, made.listeners()]).toEqual([0, 0])
  })

  const failures: [name: string, steps: Part[], outcome: object][] = [
    [
      'a refusal',
      [status(400, { error: { message: 'no such role' } })],
      { kind: 'refused', error: { status: 400, message: 'no such role' } },
    ],
    ['a status of the provider’s own trouble', [status(500)], { kind: 'failed', reason: 'status', status: 500 }],
    [
      'an error in a 200',
      [json({ error: { message: 'boom' } })],
      { kind: 'failed', reason: 'error_in_answer', message: 'the provider reported an error (status 200)' },
    ],
    ['HTML', [html(200)], { kind: 'failed', reason: 'not_an_answer' }],
    ['a cut', [{ status: 200 }, send('{"cho'), reset()], { kind: 'failed', reason: 'reset' }],
    ['nothing that listens', [{ refuse: true }], { kind: 'unsent', reason: 'connect' }],
  ]
  test.each(failures)('%s', async (_name, steps, outcome) => {
    await using made = attempt()
    made.exchange.play(...steps)
    expect(outcomeOf(await made.ended)).toMatchObject(outcome)
    expect(made.world.clock.timers).toBe(0)
  })

  test('may come as a stream', async () => {
    await using made = attempt()
    made.exchange.play(SSE_HEAD, role(), text('Hel'), text('lo'), finish(), usage(10, 5), done(), { end: true })
    const end = await made.ended
    if (end.kind !== 'answered') throw new Error(end.kind)
    expect(end.reply.usage).toMatchObject({ input: 10, output: 5 })
    expect(JSON.parse(Buffer.from(end.reply.body).toString())).toMatchObject({
      object: 'chat.completion',
      model: MODEL,
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    })
  })

  test('that is a stream without its end is none', async () => {
    await using made = attempt()
    made.exchange.play(SSE_HEAD, role(), text('Hel'), { end: true })
    expect(outcomeOf(await made.ended)).toMatchObject({ kind: 'failed', reason: 'not_an_answer' })
  })

  test('of an error only so much is read as its message needs', async () => {
    await using made = attempt()
    made.exchange.play({ status: 400 }, send('x'.repeat(64 * 1024)))
    expect(made.exchange.state).toBe('open')
    made.exchange.play(send('x'))
    expect(made.exchange.state).toBe('aborted')
    expect(outcomeOf(await made.ended)).toMatchObject({ kind: 'refused' })
  })

  test('has a bound', async () => {
    await using made = attempt()
    made.exchange.play({ status: 200 })
    const piece = send('x'.repeat(16 * 1024 * 1024))
    made.exchange.play(piece, piece, piece, piece, send('x'))
    expect(outcomeOf(await made.ended)).toMatchObject({ kind: 'failed', reason: 'framing' })
    expect(made.exchange.state).toBe('aborted')
  })
})

describe('a stream before its commit point', () => {
  test('is handed on at its first content, with what was held back', async () => {
    await using made = stream()
    made.exchange.play(SSE_HEAD, role(), comment())
    await settleMicrotasks()
    made.exchange.play(text('Hel'))
    const { held } = await live(made)
    expect(held.map(({ kind }) => kind)).toEqual(['silent', 'silent', 'content'])
    expect(made.world.clock.timers).toBe(0)
  })

  const failures: [name: string, steps: Part[], outcome: object][] = [
    [
      'its first event is an error',
      [SSE_HEAD, role(), send('data: {"error":{"message":"busy"}}\n\n')],
      { kind: 'failed', reason: 'error_in_answer', message: 'the provider reported an error (status 200)' },
    ],
    ['it ends without content', [SSE_HEAD, role(), { end: true }], { kind: 'failed', reason: 'ended_early' }],
    ['it is cut', [SSE_HEAD, role(), reset()], { kind: 'failed', reason: 'reset' }],
    ['HTML came', [html(200)], { kind: 'failed', reason: 'not_an_answer' }],
    ['nothing came', [SSE_HEAD, { end: true }], { kind: 'failed', reason: 'not_an_answer' }],
    ['a plain error came', [json({ error: { message: 'busy' } })], { kind: 'failed', reason: 'error_in_answer' }],
    [
      'a plain error came in pieces',
      [SSE_HEAD, send('{"error":{"message":'), send('"busy","code":429}}'), { end: true }],
      { kind: 'throttled', error: { message: 'busy' } },
    ],
    [
      'its first event names the caller’s fault',
      [SSE_HEAD, send('data: {"error":{"message":"no such role","code":400}}\n\n')],
      { kind: 'refused', error: { status: 400 }, usage: null },
    ],
    ['an event is too large', [SSE_HEAD, send('x'.repeat(4 * 1024 * 1024 + 1))], { kind: 'failed', reason: 'framing' }],
    ['it is refused', [status(404)], { kind: 'refused' }],
    ['it is refused in other words than JSON', [{ status: 404 }, send('none'), { end: true }], { kind: 'refused' }],
  ]
  test.each(failures)('%s', async (_name, steps, outcome) => {
    await using made = stream()
    made.exchange.play(...steps)
    expect(outcomeOf(await made.ended)).toMatchObject(outcome)
    expect(made.exchange.state).not.toBe('open')
  })

  test.each([
    ['with its content type', completion('Hi', 7, 3)],
    [
      'as if it were events',
      [SSE_HEAD, send(' '), send(completion('Hi', 7, 3).steps[1]?.send ?? ''), { end: true as const }],
    ],
  ] as const)('a plain answer that came for it is read as a stream (%s)', async (_name, steps) => {
    await using made = stream()
    made.exchange.play(...('steps' in steps ? [steps] : steps))
    const { held, reply, attach } = await live(made)
    expect(held.map(({ kind }) => kind)).toEqual(['silent', 'content', 'content', 'withheld', 'silent'])
    expect([reply.finished, reply.closed, reply.usage]).toMatchObject([true, true, { input: 7, output: 3 }])
    const observer = listener()
    attach(observer)
    expect(observer.told).toEqual(['end'])
    expect(made.exchange.state).toBe('ended')
    expect(made.world.clock.timers).toBe(0)
  })

  test('a stream under the content type of JSON is one', async () => {
    await using made = stream()
    made.exchange.play({ status: 200, headers: { 'content-type': 'application/json' } }, role(), text('Hi'))
    expect((await live(made)).held).toHaveLength(2)
  })

  test('its last event may lack the blank line', async () => {
    await using made = stream()
    const event = text('Hi').send?.trimEnd() ?? ''
    made.exchange.play(SSE_HEAD, send(event), { end: true })
    const observer = listener()
    ;(await live(made)).attach(observer)
    expect(observer.told).toEqual(['end'])
  })
})

describe('limits of time', () => {
  test('first content of a stream: events without content do not count', async () => {
    await using made = stream()
    made.exchange.play(SSE_HEAD, role())
    made.world.clock.advance(119_999)
    expect(made.exchange.state).toBe('open')
    made.world.clock.advance(1)
    expect(await made.ended).toMatchObject({ sent: true, outcome: { kind: 'failed', reason: 'first_content_timeout' } })
    expect(made.exchange.state).toBe('aborted')
  })

  test('a plain request has only its total, reckoned from its arrival', async () => {
    await using made = attempt({}, { arrivedMsAgo: 40_000 })
    made.world.clock.advance(559_999)
    expect(made.exchange.state).toBe('open')
    made.world.clock.advance(1)
    expect(await made.ended).toMatchObject({ sent: false, outcome: { kind: 'failed', reason: 'total_timeout' } })
  })

  test('the total bounds a stream too when less of it is left', async () => {
    await using made = stream({ backends: { north: { limits: { totalMs: 1000 } } } })
    made.world.clock.advance(1000)
    expect(outcomeOf(await made.ended)).toMatchObject({ reason: 'total_timeout' })
  })

  test('the agent’s own', async () => {
    await using made = attempt()
    made.exchange.written()
    made.exchange.fail('idle_timeout')
    expect(await made.ended).toMatchObject({ sent: true, outcome: { kind: 'failed', reason: 'idle_timeout' } })
  })
})

describe('the caller leaves', () => {
  test.each([true, false])(
    'the provider is aborted at once; whether it had all of the request is told (%p)',
    async (sent) => {
      await using made = attempt()
      if (sent) made.exchange.written()
      made.leave()
      expect(made.exchange.state).toBe('aborted')
      expect(await made.ended).toEqual({ kind: 'ended', sent, outcome: { kind: 'cancelled', by: 'client', sent } })
      expect(made.world.clock.timers).toBe(0)
    },
  )

  test('before it is sent: it is given up at once', async () => {
    await using made = attempt({}, { leftBefore: true })
    expect(made.exchange.state).toBe('aborted')
    expect(await made.ended).toMatchObject({ kind: 'ended', sent: false, outcome: { kind: 'cancelled', by: 'client' } })
    expect(made.world.clock.timers).toBe(0)
  })

  test('nothing that comes afterwards changes it', async () => {
    await using made = attempt()
    made.exchange.play(status(500))
    made.leave()
    expect(outcomeOf(await made.ended)).toMatchObject({ kind: 'failed' })
  })
})

test('a bug in the reading of an answer rejects, and leaves nothing behind', async () => {
  await using made = attempt()
  made.exchange.play({ status: 200 })
  made.exchange.breakReader()
  await expect(made.ended).rejects.toBeInstanceOf(TypeError)
  expect(made.exchange.state).toBe('aborted')
  expect(made.world.clock.timers).toBe(0)
})
