import { describe, expect, test } from 'bun:test'
import { wholeAnswer } from '../../../src/agents/index.ts'
import { type AgentDouble, createAgentDouble } from '../../support/agent-double.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { send, status } from '../../support/script.ts'
import { backendOf } from '../catalogue/support.ts'

const REQUEST = { method: 'GET', target: '/', headers: [], body: null, limits: { connectMs: 1, idleMs: 1 } } as const

/** One request on the one slot of an agent, and what came of it. */
function asked(signal?: AbortSignal) {
  const agent: AgentDouble = createAgentDouble(backendOf('north'))
  const clock = fakeClock()
  clock.advance(60_000) // it has run for a while
  const slot = agent.take()
  if (slot === null) throw new Error('no slot')
  const answer = wholeAnswer((observer) => agent.send(slot, REQUEST, observer), {
    clock,
    totalMs: 1000,
    bodyBytesMax: 5,
    signal,
  })
  return { agent, clock, answer, exchange: agent.next() }
}

test('an answer is taken in whole, with its times', async () => {
  const { clock, answer, exchange } = asked()
  const one = await exchange
  clock.advance(20)
  one.play({ status: 404, headers: { date: 'now' } })
  clock.advance(30)
  one.play(send('he'), send('llo'), { end: true })
  const { kind, ...whole } = await answer
  expect(kind).toBe('answer')
  expect(whole).toMatchObject({ head: { status: 404 }, headUs: 20_000, tookUs: 50_000, body: Buffer.from('hello') })
  expect(clock.timers).toBe(0)
})

test('an answer that is there is what it is, whatever becomes of who asked', async () => {
  const leaving = new AbortController()
  const { answer, exchange } = asked(leaving.signal)
  const one = await exchange
  one.play(status(200, 'hello'))
  leaving.abort()
  expect(await answer).toMatchObject({ kind: 'answer', body: Buffer.from('hello') })
  expect(one.state).toBe('ended')
})

describe('what is not whole', () => {
  test('more than the bound', async () => {
    const { answer, exchange, clock } = asked()
    const one = await exchange
    one.play(status(200, 'hello!'))
    expect(await answer).toMatchObject({
      kind: 'given_up',
      reason: 'too_large',
      message: 'an answer of more than 5 bytes',
    })
    expect([one.state, clock.timers]).toEqual(['aborted', 0])
  })

  test('one that takes longer than the bound', async () => {
    const { answer, exchange, clock } = asked()
    const one = await exchange
    one.play({ status: 200, headers: {} }, send('he'))
    clock.advance(1000)
    expect(await answer).toMatchObject({ kind: 'given_up', reason: 'total_timeout', sent: true })
    expect(one.state).toBe('aborted')
  })

  test('one that nobody wants any more, also from the beginning', async () => {
    const leaving = new AbortController()
    const { answer, exchange } = asked(leaving.signal)
    leaving.abort()
    expect(await answer).toMatchObject({ kind: 'given_up', reason: 'aborted', sent: false })
    expect((await exchange).state).toBe('aborted')
    expect(await asked(leaving.signal).answer).toMatchObject({ kind: 'given_up', reason: 'aborted' })
  })

  test('what fails the exchange', async () => {
    const { answer, exchange } = asked()
    ;(await exchange).unsent('connect')
    expect(await answer).toMatchObject({ kind: 'unsent', reason: 'connect' })
  })
})
