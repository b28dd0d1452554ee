import { describe, expect, test } from 'bun:test'
import { createLog, type LogDestination, type LogFields, type LogLevel } from '../../../src/telemetry/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'

interface Memory extends LogDestination {
  readonly text: string
  readonly lines: readonly Record<string, unknown>[]
  droppedLines: number
  isFull: boolean
  syncs: number
}

function memory(): Memory {
  let text = ''
  return {
    write(line) {
      if (this.isFull) this.droppedLines += 1
      else text += line
    },
    async flush() {},
    flushSync() {
      this.syncs += 1
    },
    get text() {
      return text
    },
    get lines() {
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    },
    droppedLines: 0,
    isFull: false,
    syncs: 0,
  }
}

function openLog(level: LogLevel = 'info') {
  const destination = memory()
  return { destination, log: createLog({ destination, level, clock: fakeClock(1_000) }) }
}

describe('a line', () => {
  test('is one JSON object with level, time, event and the fields', () => {
    const { log, destination } = openLog()
    log.info('request', { request_id: 'req_1', status: 200, stream: false, code: null, internal: undefined })
    log.warn('attempt')
    log.error('edge')
    expect(destination.lines).toEqual([
      { level: 'info', time: 1000, event: 'request', request_id: 'req_1', status: 200, stream: false, code: null },
      { level: 'warn', time: 1000, event: 'attempt' },
      { level: 'error', time: 1000, event: 'edge' },
    ])
  })

  test('below the level is not written', () => {
    const { log, destination } = openLog('error')
    log.info('request')
    log.warn('attempt')
    log.error('edge')
    expect(destination.lines).toHaveLength(1)
  })

  test('of a caller cannot become two', () => {
    const { log, destination } = openLog()
    log.info('request', { model: 'a\n{"level":"fatal"}' })
    expect(destination.lines).toHaveLength(1)
    expect(destination.lines[0]).toMatchObject({ model: 'a\n{"level":"fatal"}' })
  })

  test('keeps the beginning of a long text', () => {
    const { log, destination } = openLog()
    log.info('request', { message: 'x'.repeat(100_000) })
    expect(destination.text.length).toBeLessThan(2200)
  })

  test('that is fatal is written before the call returns, no other', () => {
    const { log, destination } = openLog()
    log.error('edge')
    expect(destination.syncs).toBe(0)
    log.fatal('store')
    expect(destination.syncs).toBe(1)
  })
})

describe('a secret', () => {
  const CANARY = 'canary-7f3a9b'
  const NAMES = [
    'authorization',
    'Authorization',
    'secret',
    'key',
    'api_key',
    'x-api-key',
    'api-key',
    'token',
    'cookie',
  ]
  const PROMPTS = ['body', 'prompt', 'messages']

  for (const name of [...NAMES, ...PROMPTS])
    test(`under the name ${name} is not written`, () => {
      const { log, destination } = openLog()
      // as from code the compiler did not see: a computed name
      for (const write of [log.info, log.warn, log.error, log.fatal]) write('canary', { [name]: CANARY } as LogFields)
      expect(destination.lines).toHaveLength(4)
      expect(destination.text).not.toContain(CANARY)
    })

  test('inside an object is not written, for no object is', () => {
    const { log, destination } = openLog()
    const fields: Record<string, unknown> = { headers: { authorization: CANARY }, list: [CANARY] }
    log.info('canary', fields as LogFields)
    expect(destination.text).not.toContain(CANARY)
  })

  test('inside a text is not written when it looks like one', () => {
    const { log, destination } = openLog()
    const own = `sk-ar-v1-${'aB3'.repeat(14)}x`
    log.warn('attempt', { message: `Incorrect API key provided: ${own}. Also sk-proj-${CANARY} and Bearer ${CANARY}` })
    expect(destination.text).not.toContain(CANARY)
    expect(destination.text).not.toContain('aB3aB3')
    expect(destination.text).toContain('Incorrect API key provided: [redacted]. Also [redacted] and [redacted]')
  })

  test('is not what an id looks like', () => {
    const { log, destination } = openLog()
    const ids = { key_id: 'key_0195', request_id: 'req_0195', credential: 'main', task: 'risk-assessment-of-disk' }
    log.info('request', ids)
    expect(destination.lines[0]).toMatchObject(ids)
  })
})

describe('lines that find no room', () => {
  test('are counted, and told once there is room again', () => {
    const { log, destination } = openLog()
    destination.isFull = true
    for (let at = 0; at < 5; at++) log.info('request')
    expect(destination.lines).toEqual([])
    destination.isFull = false
    log.info('request', { status: 200 })
    log.info('request', { status: 200 })
    const events = destination.lines.map(({ event, lines }) => [event, lines])
    expect(events).toEqual([
      ['request', undefined],
      ['log_dropped', 5],
      ['request', undefined],
    ])
  })
})
