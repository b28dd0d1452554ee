import { expect, test } from 'bun:test'
import type { StreamEvent } from '../../../../src/dialects/index.ts'
import type { LiveObserver, LiveStream } from '../../../../src/pipeline/handover.ts'
import { keptFirst } from '../../../../src/pipeline/relay/kept-first.ts'

const event = (text: string): readonly StreamEvent[] => [{ kind: 'content', bytes: Buffer.from(text) }]

/** A stream that is played by hand, and what came of it. */
function begin(held: string, isWhole = false) {
  const seen: string[] = []
  const kept = Promise.withResolvers<void>()
  const reply = { finished: isWhole, closed: isWhole }
  let play: LiveObserver | undefined
  let keeps = 0
  const live = { reply, held: event(held), attach: (observer: LiveObserver) => (play = observer) }
  const late = keptFirst(live as unknown as LiveStream, () => {
    keeps++
    return kept.promise
  })
  late.attach({
    events: (events) => seen.push(...events.map(({ bytes }) => Buffer.from(bytes).toString())),
    end: () => seen.push('end'),
    broken: (reason) => seen.push(reason),
  })
  return {
    seen,
    late,
    keeps: () => keeps,
    play: () => play ?? expect.unreachable('attached'),
    finish: () => Object.assign(reply, { finished: true, closed: true }),
    async write() {
      kept.resolve()
      await kept.promise
    },
  }
}

test('what comes before the end passes at once; the end, and all behind it, once it is kept', async () => {
  const { seen, late, keeps, play, finish, write } = begin('held')
  expect(late.held).toEqual(event('held'))
  play().events(event('more'))
  expect([seen, keeps()]).toEqual([['more'], 0])
  finish()
  play().events(event('last'))
  play().end()
  expect([seen, keeps()]).toEqual([['more'], 1])
  await write()
  expect(seen).toEqual(['more', 'last', 'end'])
  play().broken('reset', 'late')
  expect([seen.at(-1), keeps()]).toEqual(['reset', 1])
})

test('an answer that is whole from the start is held back with it', async () => {
  const { seen, late, play, write } = begin('all of it', true)
  expect(late.held).toEqual([])
  play().end()
  expect(seen).toEqual([])
  await write()
  expect(seen).toEqual(['all of it', 'end'])
})

test('for who relays it, it is not whole before it is kept', async () => {
  const { late, play, finish, write } = begin('held')
  const whole = () => [late.reply.finished, late.reply.closed]
  finish()
  play().events(event('last'))
  expect(whole()).toEqual([false, false])
  await write()
  expect(whole()).toEqual([true, true])
})

test('what breaks before its end is told at once', () => {
  const { seen, keeps, play } = begin('held')
  play().broken('reset', 'gone')
  expect([seen, keeps()]).toEqual([['reset'], 0])
})
