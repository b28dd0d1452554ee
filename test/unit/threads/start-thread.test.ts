import { afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { CallDeadline, startThread, type Thread, ThreadDied, ThreadFailure } from '../../../src/threads/index.ts'
import { type FakeClock, fakeClock } from '../../support/fake-clock.ts'
import { withFewFiles } from '../../support/no-files.ts'
import type { EchoCalls } from './echo-thread.ts'

let thread: Thread<EchoCalls>
afterEach(() => thread.end())

function start(clock: FakeClock = fakeClock()) {
  const events: string[] = []
  const deaths = Promise.withResolvers<ThreadDied>()
  thread = startThread<EchoCalls, string>({
    spawn: () => new Worker(new URL('./echo-thread.ts', import.meta.url)),
    clock,
    onEvent: (event) => events.push(event),
    onDeath: (error) => deaths.resolve(error),
  })
  return { events, death: deaths.promise }
}

describe('calls', () => {
  test('are answered each with its own answer, synchronous or not', async () => {
    start()
    const answers = await Promise.all([thread.call('echo', 'a'), thread.call('later', 'b'), thread.call('echo', 'c')])
    expect(answers).toEqual(['a', 'b', 'c'])
  })

  test('run in order, and what a handler queued runs before the next call', async () => {
    start()
    thread.call('echo', 'a')
    thread.call('echo', 'b')
    expect(await thread.call('order', null)).toEqual(['a', 'after a', 'b', 'after b'])
  })

  test('that throw reject with name, message and code', async () => {
    start()
    const error = await thread.call('refuse', 'no').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ThreadFailure)
    expect(error).toMatchObject({ message: 'no', thrown: { name: 'RangeError', code: 'E_TEST' } })
    expect(await thread.call('echo', 'still there')).toBe('still there')
  })

  test('have a deadline when they want one, and leave no timer behind', async () => {
    const clock = fakeClock()
    start(clock)
    await thread.call('echo', 'in time', 5000)
    expect(clock.timers).toBe(0)
    const late = thread.call('never', null, 5000)
    clock.advance(5000)
    expect(await late.catch((thrown: unknown) => thrown)).toBeInstanceOf(CallDeadline)
  })

  test('events arrive before the answer of the call that posted them', async () => {
    const { events } = start()
    await thread.call('order', null)
    expect(events).toEqual(['order was asked for'])
  })
})

describe('death', () => {
  test('of a thread that exits rejects open and later calls, and is told once', async () => {
    const { death } = start()
    const open = thread.call('never', null).catch((thrown: unknown) => thrown)
    thread.call('exit', null).catch(() => {})
    expect(await open).toBeInstanceOf(ThreadDied)
    expect(await death).toBeInstanceOf(ThreadDied)
    expect(await thread.call('echo', 'x').catch((thrown: unknown) => thrown)).toBeInstanceOf(ThreadDied)
  })

  test('by an exception outside of a call carries its message', async () => {
    const { death } = start()
    await thread.call('throwOutside', null)
    expect((await death).message).toContain('outside of a call')
  })

  test('that was asked for rejects open calls and is not told', async () => {
    const { death } = start()
    const open = thread.call('never', null).catch((thrown: unknown) => thrown)
    await thread.call('echo', 'x')
    thread.end()
    expect(await open).toBeInstanceOf(ThreadDied)
    expect(await Promise.race([death, Promise.resolve('not told')])).toBe('not told')
  })
})

test('a thread that this process has no files for is not started: the process would end', async () => {
  start() // for the end of each test
  const child = Bun.spawn(withFewFiles(join(import.meta.dir, 'no-files-child.ts')), { stderr: 'inherit' })
  const refused = 'ThreadDied: the gateway has as many files open as it may (ulimit -n)'
  expect(JSON.parse(await child.stdout.text())).toEqual([refused, refused, 'started'])
})
