import { describe, expect, test } from 'bun:test'
import { listenToSignals } from '../../../src/cli/listen-to-signals.ts'
import { endAtOnce } from '../../../src/cli/serve.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { Exited, fakeTerminal } from '../../support/fake-terminal.ts'

const waiting = (hangUpStops = false) => {
  const clock = fakeClock()
  const terminal = fakeTerminal({ clock })
  return { clock, terminal, signals: listenToSignals(terminal, hangUpStops) }
}

describe('listenToSignals', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s stops', async (name) => {
    const { terminal, signals } = waiting()
    terminal.signal(name)
    await signals.stop
  })

  test('a second one ends the process at once, with 130', async () => {
    const { clock, terminal, signals } = waiting()
    terminal.signal('SIGINT')
    await signals.stop
    clock.advance(500)
    expect(() => terminal.signal('SIGTERM')).toThrow(expect.objectContaining({ code: 130 }))
    expect(terminal.complained).toBe('\nstopped at once\n')
  })

  test('the echo that npm adds to a Ctrl-C is no second one', async () => {
    const { clock, terminal, signals } = waiting()
    terminal.signal('SIGINT')
    clock.advance(20)
    terminal.signal('SIGINT')
    await signals.stop
    expect(terminal.complained).toBe('')
  })

  test('SIGHUP reloads, also when it came before anybody could', () => {
    const { terminal, signals } = waiting()
    let reloads = 0
    terminal.signal('SIGHUP')
    signals.onReload(() => reloads++)
    expect(reloads).toBe(1)
    terminal.signal('SIGHUP')
    expect(reloads).toBe(2)
  })

  test('the end of the terminal stops, however often it is told; so does SIGHUP where nothing can be reloaded', async () => {
    const gone = waiting()
    gone.terminal.hangUp()
    gone.terminal.signal('SIGHUP')
    gone.clock.advance(500)
    gone.terminal.signal('SIGHUP')
    await gone.signals.stop
    const { terminal, signals } = waiting(true)
    terminal.signal('SIGHUP')
    await signals.stop
  })

  test('after release signals are nobody’s', () => {
    const { terminal, signals } = waiting()
    signals.release()
    expect(() => terminal.signal('SIGINT')).toThrow('nobody listens')
  })
})

test('a store that cannot be trusted ends the process with 70, after the log line', () => {
  const lines: string[] = []
  const log = { fatal: (event: string, fields?: object) => void lines.push(`${event} ${JSON.stringify(fields)}`) }
  expect(() => endAtOnce(new Error('disk'), log, fakeTerminal())).toThrow(new Exited(70))
  expect(lines).toEqual(['fatal {"message":"disk"}'])
})
