import { describe, expect, test } from 'bun:test'
import { reading } from '../support.ts'
import { content, failure, relaying } from './relay-kit.ts'

describe('a stream that is read', () => {
  test('the held events first, then each as it comes, then the end', async () => {
    await using made = relaying({ held: ['one ', 'two '] })
    const client = reading(made.body)
    expect(await client.next()).toBe('one two ')
    made.to.events([content('three ')])
    expect(await client.next()).toBe('three ')
    expect(made.ends).toEqual([])
    made.to.end()
    expect(await client.rest()).toBe('')
    expect(made.ends).toEqual([{ kind: 'completed' }])
    expect(made.heldUp).toEqual([false])
    expect(made.provider).toMatchObject({ state: 'open', delivered: 2, metering: false })
    expect(made.listeners()).toBe(0)
  })

  test('what the dialect still needs for a clean end is supplied', async () => {
    await using made = relaying()
    made.reply.closing = 'data: [DONE]\n\n'
    const client = reading(made.body)
    await client.next()
    made.to.end()
    expect(await client.rest()).toBe('data: [DONE]\n\n')
  })

  test('the money is settled before the last byte leaves', async () => {
    await using made = relaying()
    made.reply.closing = 'last'
    const client = reading(made.body)
    await client.next()
    const last = client.next()
    made.to.end()
    expect(made.ends).toHaveLength(1)
    expect(await last).toBe('last')
  })

  test('events without bytes are no writes', async () => {
    await using made = relaying()
    const client = reading(made.body)
    await client.next()
    made.to.events([{ kind: 'withheld', bytes: new Uint8Array(0) }])
    made.to.events([content('more')])
    expect(await client.next()).toBe('more')
    made.to.end()
    expect(await client.rest()).toBe('')
  })
})

describe('a stream that breaks', () => {
  test('the error event ends it, nothing follows', async () => {
    await using made = relaying()
    made.reply.closing = 'data: [DONE]\n\n'
    const client = reading(made.body)
    await client.next()
    made.to.broken('reset', 'cut')
    made.to.end()
    made.to.broken('reset', 'again')
    made.to.events([content('late')])
    expect(await client.rest()).toBe('[reset: cut]')
    expect(made.ends).toEqual([{ kind: 'broken', reason: 'reset', message: 'cut' }])
    expect(made.world.clock.timers).toBe(0)
  })

  test('by its end without a finish_reason', async () => {
    await using made = relaying()
    made.reply.finished = false
    const client = reading(made.body)
    await client.next()
    made.to.end()
    expect(await client.rest()).toStartWith('[ended_early: ')
    expect(made.ends).toMatchObject([{ kind: 'broken', reason: 'ended_early' }])
  })

  test('by an error among its events: what came before it is passed on, the provider is aborted', async () => {
    await using made = relaying()
    const client = reading(made.body)
    await client.next()
    made.to.events([content('good '), failure('overloaded'), content('never')])
    expect(await client.rest()).toBe('good [error_in_answer: the provider reported an error (status 200)]')
    expect(made.provider.state).toBe('aborted')
    expect(made.ends).toMatchObject([{ kind: 'broken', reason: 'error_in_answer' }])
  })
})

describe('a stream whose last event was passed on', () => {
  test('is whole, whatever becomes of the provider: no error event follows it', async () => {
    await using made = relaying()
    made.reply.closed = true
    const client = reading(made.body)
    await client.next()
    made.to.broken('reset', 'cut')
    expect(await client.rest()).toBe('')
    expect(made.ends).toEqual([{ kind: 'completed' }])
    expect(made.world.clock.timers).toBe(0)
  })

  test('waits a second for the end of the body, then lets client and provider go', async () => {
    await using made = relaying({ held: ['whole'] })
    const client = reading(made.body)
    made.reply.closed = true
    await client.next()
    made.world.clock.advance(999)
    expect([made.ends, made.provider.state]).toEqual([[], 'open'])
    made.world.clock.advance(1)
    expect(await client.rest()).toBe('')
    expect(made.provider.state).toBe('aborted')
    expect(made.ends).toEqual([{ kind: 'completed' }])
    expect(made.world.clock.timers).toBe(0)
  })

  test('with its end in time the connection is kept', async () => {
    await using made = relaying()
    const client = reading(made.body)
    await client.next()
    made.reply.closed = true
    made.to.events([content('[DONE]')])
    made.to.end()
    expect(await client.rest()).toBe('[DONE]')
    made.world.clock.advance(1000)
    expect(made.provider.state).toBe('open')
    expect(made.ends).toEqual([{ kind: 'completed' }])
  })
})

describe('a client that leaves', () => {
  test('told by the request: the provider is aborted at once', async () => {
    await using made = relaying()
    made.reply.finished = false
    const client = reading(made.body)
    await client.next()
    made.leave()
    expect(made.provider.state).toBe('aborted')
    made.to.events([content('late')])
    made.to.end()
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'client' }])
  })

  test('told by the body', async () => {
    await using made = relaying()
    made.reply.finished = false
    const client = reading(made.body)
    await client.next()
    await client.cancel()
    expect(made.provider.state).toBe('aborted')
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'client' }])
  })

  test('after the answer was complete: nothing is missing', async () => {
    await using made = relaying()
    const client = reading(made.body)
    await client.next()
    made.leave()
    expect(made.ends).toEqual([{ kind: 'completed' }])
  })

  test('before anything was read', async () => {
    await using made = relaying()
    made.reply.finished = false
    made.leave()
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'client' }])
    await expect(new Response(made.body).text()).rejects.toThrow()
  })

  test('before there was a relay', async () => {
    await using made = relaying({ leftBefore: true })
    expect(made.provider.state).toBe('aborted')
    expect(made.ends).toHaveLength(1)
  })
})

describe('the gateway stops', () => {
  test('in the middle of a stream: the client is told, the provider aborted', async () => {
    await using made = relaying()
    made.reply.finished = false
    const client = reading(made.body)
    await client.next()
    made.call.leave.fire('shutdown')
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'shutdown' }])
    expect(made.provider).toMatchObject({ state: 'aborted', metering: false })
    expect(await client.rest()).toBe('[shutdown]')
  })

  test('behind a whole answer: nothing is missing', async () => {
    await using made = relaying()
    made.reply.closing = 'done'
    const client = reading(made.body)
    await client.next()
    made.call.leave.fire('shutdown')
    expect(made.ends).toEqual([{ kind: 'completed' }])
    expect(await client.rest()).toBe('done')
  })

  test('before anything was read: no clean end', async () => {
    await using made = relaying()
    made.call.leave.fire('shutdown')
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'shutdown' }])
    await expect(new Response(made.body).text()).rejects.toThrow()
  })
})

describe('a stream that is silent', () => {
  test('gets a comment after `heartbeat_after_ms`, as often as that passes', async () => {
    await using made = relaying({ heartbeatAfterMs: 15_000 })
    const client = reading(made.body)
    await client.next()
    made.world.clock.advance(14_999)
    made.to.events([content('more')])
    expect(await client.next()).toBe('more')
    made.world.clock.advance(14_999)
    made.world.clock.advance(1)
    expect(await client.next()).toBe(': heartbeat\n\n')
    made.world.clock.advance(15_000)
    expect(await client.next()).toBe(': heartbeat\n\n')
    made.to.end()
    expect(await client.rest()).toBe('')
    expect(made.world.clock.timers).toBe(0)
  })
})

describe('bytes of a medium', () => {
  test('have no heartbeat among them', async () => {
    await using made = relaying({ mediaType: 'audio/mpeg', heartbeatAfterMs: 15_000 })
    const client = reading(made.body)
    await client.next()
    expect(made.world.clock.timers).toBe(0)
    made.to.end()
    expect(await client.rest()).toBe('')
  })

  test('are broken off where events would tell of an error: settled at once, and no clean end', async () => {
    await using made = relaying({ mediaType: 'audio/mpeg' })
    const client = reading(made.body)
    await client.next()
    made.to.events([content('more')])
    made.to.broken('reset', 'cut')
    expect(made.ends).toEqual([{ kind: 'broken', reason: 'reset', message: 'cut' }])
    expect(made.provider.state).toBe('aborted')
    expect(await client.next()).toBe('more')
    made.world.clock.advance(0)
    await expect(client.next()).rejects.toThrow('broke off')
    made.to.end()
    expect(made.ends.length).toBe(1)
  })
})

describe('the last comment', () => {
  test('stands before what the dialect supplies for a clean end', async () => {
    await using made = relaying({ lastComment: ': times\n\n' })
    made.reply.closing = '[DONE]'
    const client = reading(made.body)
    await client.next()
    made.to.end()
    expect(await client.rest()).toBe(': times\n\n[DONE]')
  })

  test('stands behind the mark of a whole answer that the provider sends', async () => {
    await using made = relaying({ lastComment: ': times\n\n' })
    const client = reading(made.body)
    await client.next()
    made.reply.closed = true
    made.to.events([content('text '), content('[DONE]')])
    made.to.end()
    expect(await client.rest()).toBe('text [DONE]: times\n\n')
  })

  test('stands before an error event', async () => {
    await using made = relaying({ lastComment: ': times\n\n' })
    const client = reading(made.body)
    await client.next()
    made.to.broken('reset', 'cut')
    expect(await client.rest()).toBe(': times\n\n[reset: cut]')
  })
})
