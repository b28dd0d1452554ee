import { describe, expect, test } from 'bun:test'
import { endAtOnce } from '../../../src/cli/serve.ts'
import { awaitStop } from '../../../src/cli/stop-signal.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { Exited, fakeTerminal } from '../../support/fake-terminal.ts'

const waiting = (withHangUp = false) => {
  const clock = fakeClock()
  const terminal = fakeTerminal({ clock })
  return { clock, terminal, stop: awaitStop(terminal, withHangUp) }
}

describe('awaitStop', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s stops', async (name) => {
    const { terminal, stop } = waiting()
    terminal.signal(name)
    await stop.first
  })

  test('a second one ends the process at once, with 130', async () => {
    const { clock, terminal, stop } = waiting()
    terminal.signal('SIGINT')
    await stop.first
    clock.advance(500)
    expect(() => terminal.signal('SIGTERM')).toThrow(expect.objectContaining({ code: 130 }))
    expect(terminal.complained).toBe('\nstopped at once\n')
  })

  test('the echo that npm adds to a Ctrl-C is no second one', async () => {
    const { clock, terminal, stop } = waiting()
    terminal.signal('SIGINT')
    clock.advance(20)
    terminal.signal('SIGINT')
    await stop.first
    expect(terminal.complained).toBe('')
  })

  test('the end of the terminal stops the demo, and nothing else', async () => {
    expect(() => waiting().terminal.signal('SIGHUP')).toThrow('nobody listens')
    const { terminal, stop } = waiting(true)
    terminal.signal('SIGHUP')
    await stop.first
  })

  test('after release signals are nobody’s', () => {
    const { terminal, stop } = waiting()
    stop.release()
    expect(() => terminal.signal('SIGINT')).toThrow('nobody listens')
  })
})

test('a store that cannot be trusted ends the process with 70, after the log line', () => {
  const lines: string[] = []
  const log = { fatal: (event: string, fields?: object) => void lines.push(`${event} ${JSON.stringify(fields)}`) }
  expect(() => endAtOnce(new Error('disk'), log, fakeTerminal())).toThrow(new Exited(70))
  expect(lines).toEqual(['fatal {"message":"disk"}'])
})
