import { afterAll, describe, expect, test } from 'bun:test'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { systemClock } from '../../../src/lib/index.ts'
import { bufferedDestination, createLog } from '../../../src/telemetry/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

let files = 0
function openFile() {
  const path = folder.at(`${files++}.log`)
  const fd = openSync(path, 'a')
  return { fd, read: () => readFileSync(path, 'utf8'), [Symbol.dispose]: () => closeSync(fd) }
}

describe('a buffered destination', () => {
  test('collects lines for a moment and writes them in their order', async () => {
    using file = openFile()
    const clock = fakeClock()
    const destination = bufferedDestination({ fd: file.fd, clock })
    destination.write('one\n')
    destination.write('two\n')
    expect(file.read()).toBe('')
    clock.advance(200)
    await destination.flush()
    expect(file.read()).toBe('one\ntwo\n')
  })

  test('writes everything on flush, whatever is under way', async () => {
    using file = openFile()
    const destination = bufferedDestination({ fd: file.fd, clock: systemClock() })
    const lines = Array.from({ length: 2_000 }, (_, at) => `line ${at} ${'x'.repeat(at % 300)} é\n`)
    for (const line of lines) destination.write(line)
    await destination.flush()
    expect(file.read()).toBe(lines.join(''))
    await destination.flush()
    expect(destination.droppedLines).toBe(0)
  })

  test('goes on after a batch: later lines are written too', async () => {
    using file = openFile()
    const clock = fakeClock()
    const destination = bufferedDestination({ fd: file.fd, clock })
    const text: string[] = []
    for (let round = 0; round < 5; round++) {
      const line = `round ${round}\n`
      text.push(line)
      destination.write(line)
      clock.advance(200)
      await destination.flush()
      expect(file.read()).toBe(text.join(''))
    }
    expect(clock.timers).toBeLessThanOrEqual(5) // of the flushes' deadlines alone
  })

  test('drops and counts what finds no room', async () => {
    using file = openFile()
    const destination = bufferedDestination({ fd: file.fd, clock: fakeClock(), bufferBytesMax: 10 })
    destination.write('12345678\n')
    destination.write('too much\n')
    destination.write('\n')
    expect(destination.droppedLines).toBe(1)
    await destination.flush()
    expect(file.read()).toBe('12345678\n\n')
    destination.write('again\n')
    await destination.flush()
    expect(file.read()).toBe('12345678\n\nagain\n')
  })

  test('a fatal line is in the file when the call returns, after what waited before it', () => {
    using file = openFile()
    const clock = fakeClock()
    const log = createLog({ destination: bufferedDestination({ fd: file.fd, clock }), level: 'info', clock })
    log.info('before')
    log.fatal('store')
    const events = file
      .read()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event)
    expect(events).toEqual(['before', 'store'])
  })
})

describe('a destination that cannot be written', () => {
  test('loses lines, counts them, and never throws nor waits', async () => {
    const full = openSync('/dev/full', 'w') // every write fails with ENOSPC
    const destination = bufferedDestination({ fd: full, clock: systemClock() })
    destination.write('one\n')
    destination.write('two\n')
    await destination.flush()
    expect(destination.droppedLines).toBe(2)
    destination.write('three\n')
    destination.flushSync()
    expect(destination.droppedLines).toBe(3)
    closeSync(full)
  })
})
