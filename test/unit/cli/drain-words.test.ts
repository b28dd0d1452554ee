import { describe, expect, test } from 'bun:test'
import { DrainWords, progressWords, reportWords } from '../../../src/cli/drain-words.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { fakeTerminal } from '../../support/fake-terminal.ts'

const verify = { clean: true, faults: [], openHolds: 0, isProven: true }

describe('words for what is in progress', () => {
  test.each([
    [{ streams: 0, inFlight: 0 }, 'draining: nothing in progress …'],
    [{ streams: 1, inFlight: 1 }, 'draining: 1 stream in progress …'],
    [{ streams: 0, inFlight: 2 }, 'draining: 2 requests in progress …'],
    [{ streams: 2, inFlight: 3 }, 'draining: 2 streams and 1 request in progress …'],
  ])('%j', (traffic, words) => {
    expect(progressWords(traffic)).toBe(words)
  })
})

describe('words for the end', () => {
  test('all is well', () => {
    expect(reportWords({ settled: 2, verify })).toBe('2 requests settled, ledger verified, 0 open holds.')
    expect(reportWords({ settled: 1, verify: { ...verify, openHolds: 1 } })).toBe(
      '1 request settled, ledger verified, 1 open hold.',
    )
  })

  test('the ledger is too large', () => {
    expect(reportWords({ settled: 1, verify: { ...verify, isProven: false } })).toBe(
      '1 request settled, ledger too large to be verified now, 0 open holds.',
    )
  })

  test('the ledger does not add up', () => {
    const bad = { ...verify, clean: false, faults: ['account a'] }
    expect(reportWords({ settled: 0, verify: bad })).toBe(
      '0 requests settled, ledger NOT clean (1 fault), 0 open holds.',
    )
  })
})

test('without a TTY: one line, told once', () => {
  const clock = fakeClock()
  const terminal = fakeTerminal({ clock })
  const words = new DrainWords(terminal)
  words.begin({ streams: 1, inFlight: 1 })
  clock.advance(800)
  words.progress({ streams: 1, inFlight: 1 })
  words.end({ settled: 2, verify })
  expect(terminal.said).toBe(
    'draining: 1 stream in progress … done (0.8 s). 2 requests settled, ledger verified, 0 open holds.\n',
  )
})

test('on a TTY the number goes down in place, below the ^C', () => {
  const terminal = fakeTerminal({ isTty: true })
  const words = new DrainWords(terminal)
  words.begin({ streams: 2, inFlight: 2 })
  words.progress({ streams: 1, inFlight: 1 })
  expect(terminal.said).toBe('\ndraining: 2 streams in progress …\r\u001b[Kdraining: 1 stream in progress …')
})

test('each fault of the ledger is named on stderr', () => {
  const terminal = fakeTerminal()
  new DrainWords(terminal).end({ settled: 0, verify: { ...verify, clean: false, faults: ['account a: 1 is not 2'] } })
  expect(terminal.complained).toBe('ledger: account a: 1 is not 2\n')
})
