import { describe, expect, test } from 'bun:test'
import type { RelayEnd } from '../../../../src/pipeline/handover.ts'
import { Relay } from '../../../../src/pipeline/relay/relay.ts'
import { settleMicrotasks } from '../../../support/fake-clock.ts'
import { content, failure, handController, planned } from './relay-kit.ts'

type Made = ReturnType<typeof begun>

/** A relay that runs, of an answer that is not complete yet. */
function begun(spec: Parameters<typeof planned>[0] = {}) {
  const made = planned(spec)
  made.reply.finished = false
  const relay = new Relay(made.world.house, made.call, made.plan)
  const client = handController()
  let hasRun = false
  const run = relay.run(client.controller).then(() => {
    hasRun = true
  })
  return Object.assign(made, { relay, client, run, hasRun: () => hasRun })
}

/** Everything that may still be reported of a stream that is over. */
function report(made: Made): void {
  made.reply.finished = true
  made.to.events([content('late ')])
  made.to.events([failure('late')])
  made.to.end()
  made.to.broken('reset', 'late')
  made.relay.cancel('client')
  made.call.leave.fire('shutdown')
}

interface Ending {
  readonly name: string
  act(made: Made): void
  readonly end: Partial<RelayEnd>
  /** How the client's body was closed; nothing where there is no client any more. */
  readonly closes: readonly string[]
  readonly mediaType?: string
}

const finished = (made: Made): void => {
  made.reply.finished = true
}
const stalled = (made: Made): void => {
  made.client.fill()
  made.to.events([content('untaken ')])
  made.world.clock.advance(60_000)
}
const ENDINGS: readonly Ending[] = [
  {
    name: 'whole',
    act(made) {
      finished(made)
      made.to.end()
    },
    end: { kind: 'completed' },
    closes: ['clean'],
  },
  {
    name: 'broken',
    act: ({ to }) => to.broken('reset', 'cut'),
    end: { kind: 'broken', reason: 'reset' },
    closes: ['clean'],
  },
  {
    name: 'with an error of the provider first of all',
    act: ({ to }) => to.events([failure('overloaded'), content('never')]),
    end: { kind: 'broken', reason: 'error_in_answer' },
    closes: ['clean'],
  },
  {
    name: 'whole, with an error behind its mark',
    act(made) {
      finished(made)
      made.reply.closed = true
      made.to.events([failure('too late')])
    },
    end: { kind: 'completed' },
    closes: ['clean'],
  },
  {
    name: 'a medium that broke',
    mediaType: 'audio/mpeg',
    act: ({ to }) => to.broken('reset', 'cut'),
    end: { kind: 'broken', reason: 'reset' },
    closes: ['the answer broke off'],
  },
  {
    name: 'nobody pays for the rest',
    act(made) {
      made.provider.pays = false
      made.to.events([content('')])
    },
    end: { kind: 'cancelled', by: 'credit' },
    closes: ['clean'],
  },
  { name: 'the caller left', act: ({ leave }) => leave(), end: { kind: 'cancelled', by: 'client' }, closes: [] },
  {
    name: 'the gateway stopped',
    act: ({ call }) => call.leave.fire('shutdown'),
    end: { kind: 'cancelled', by: 'shutdown' },
    closes: ['clean'],
  },
  {
    name: 'the client read nothing',
    act: stalled,
    end: { kind: 'cancelled', by: 'client_stall' },
    closes: ['the stream was ended before its end'],
  },
]

describe('a stream ends once', () => {
  test.each([...ENDINGS])('$name', async ({ act, end, closes, mediaType = null }) => {
    await using made = begun({ mediaType })
    act(made)
    expect(made.ends).toMatchObject([end])
    const { delivered } = made.provider
    const given = [...made.client.given]
    report(made)
    made.client.take()
    await settleMicrotasks()
    made.world.clock.advance(60_000)
    await made.run
    expect(made.ends).toHaveLength(1)
    expect(made.client.closes).toEqual([...closes])
    expect(made.client.given).toEqual(given)
    expect(given.join('')).not.toMatch(/never/)
    expect(made.provider).toMatchObject({ delivered, metering: false })
    expect([made.world.clock.timers, made.listeners()]).toEqual([0, 0])
  })

  test('also where the client hangs up that was cut off for not reading', async () => {
    await using made = begun()
    stalled(made)
    made.client.hangUp()
    await made.run
    await settleMicrotasks()
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'client_stall' }])
    expect(made.client.closes).toHaveLength(1)
  })

  test('a client that hangs up before it has taken what it was given', async () => {
    await using made = begun()
    made.client.fill()
    made.to.events([content('untaken ')])
    made.client.hangUp()
    await made.run
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'client' }])
    expect(made.provider.state).toBe('aborted')
    expect(made.client.closes).toEqual([])
  })
})

describe('a client that has not taken what it was given', () => {
  test.each(['written', 'flushed'] as const)('holds the provider up until it has taken all, %s', async (told) => {
    await using made = begun()
    made.client.fill(told)
    made.to.events([content('one ')])
    made.world.clock.advance(30_000)
    made.to.events([content('two ')])
    expect(made.provider.isPaused).toBe(true)
    expect(made.world.clock.timers).toBe(1)
    made.client.takeOne()
    await settleMicrotasks()
    expect(made.provider.isPaused).toBe(true)
    made.client.take()
    await settleMicrotasks()
    expect(made.provider.isPaused).toBe(false)
    expect(made.world.clock.timers).toBe(0)
    made.leave()
    await made.run
  })

  test('may stall so long from the first that it did not take', async () => {
    await using made = begun()
    made.client.fill()
    made.to.events([content('one ')])
    made.world.clock.advance(59_999)
    made.to.events([content('two ')])
    expect(made.ends).toEqual([])
    made.world.clock.advance(1)
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'client_stall' }])
  })

  test.each(['written', 'flushed'] as const)(
    'lets the provider take its time with the last bytes, %s',
    async (told) => {
      await using made = begun()
      made.client.fill(told)
      finished(made)
      made.reply.closed = true
      made.to.events([content('[DONE]')])
      made.world.clock.advance(1000)
      expect(made.ends).toEqual([])
      made.client.take()
      await settleMicrotasks()
      made.world.clock.advance(999)
      expect(made.ends).toEqual([])
      made.world.clock.advance(1)
      expect(made.ends).toEqual([{ kind: 'completed' }])
      expect(made.client.closes).toEqual(['clean'])
    },
  )
})

describe('an end that waits for the client', () => {
  async function waiting() {
    const made = begun()
    made.client.fill()
    made.to.events([content('untaken ')])
    finished(made)
    made.to.end()
    await settleMicrotasks()
    return made
  }

  test('is the only one, and nothing is delivered behind it', async () => {
    await using made = await waiting()
    const { delivered } = made.provider
    made.to.events([content('late ')])
    made.to.broken('reset', 'late')
    made.to.end()
    expect([made.ends, made.hasRun()]).toEqual([[], false])
    made.client.take()
    await made.run
    expect(made.ends).toEqual([{ kind: 'completed' }])
    expect(made.heldUp).toEqual([true])
    expect(made.client.given).toEqual(['held ', 'untaken '])
    expect(made.client.closes).toEqual(['clean'])
    expect([made.provider.delivered, made.world.clock.timers]).toEqual([delivered, 0])
  })

  test('is cut short by a stop of the gateway: no clean end for what was not read', async () => {
    await using made = await waiting()
    made.call.leave.fire('shutdown')
    await made.run
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'shutdown' }])
    made.client.take()
    await settleMicrotasks()
    expect(made.ends).toHaveLength(1)
    expect(made.client.closes).toEqual(['the stream was ended before its end'])
  })
})

describe('what a client is given', () => {
  test('nothing for events without bytes: they are no sign of life either', async () => {
    await using made = begun({ heartbeatAfterMs: 1000 })
    made.world.clock.advance(999)
    made.to.events([{ kind: 'withheld', bytes: new Uint8Array(0) }])
    expect(made.client.given).toEqual(['held '])
    made.world.clock.advance(1)
    expect(made.client.given).toEqual(['held ', ': heartbeat\n\n'])
    made.leave()
  })

  test('a heartbeat so long after what it was given last', async () => {
    await using made = begun({ heartbeatAfterMs: 1000 })
    made.world.clock.advance(999)
    made.to.events([content('more ')])
    made.world.clock.advance(999)
    expect(made.client.given).toEqual(['held ', 'more '])
    made.world.clock.advance(1)
    expect(made.client.given).toEqual(['held ', 'more ', ': heartbeat\n\n'])
    made.leave()
  })

  test('no heartbeat while it has not taken what came before', async () => {
    await using made = begun({ heartbeatAfterMs: 1000 })
    made.client.fill()
    made.to.events([content('untaken ')])
    made.world.clock.advance(5000)
    expect(made.client.given).toEqual(['held ', 'untaken '])
    made.leave()
  })
})
