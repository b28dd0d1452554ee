import type { Clock } from '../lib/index.ts'
import type { LogDestination } from './log-destination.ts'
import { type LogFields, plainText, redact } from './redact.ts'

/** The process's log: one JSON object a line, each with `level`, `time` (ms), `event`, and flat fields. No bodies, no secrets. */
export interface Log {
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
  /** The process is about to end: everything is written before this returns. */
  fatal(event: string, fields?: LogFields): void
  /** Resolves when what was logged is written, or after a second. */
  flush(): Promise<void>
}

export type LogLevel = 'info' | 'warn' | 'error' | 'fatal' | 'silent'

export interface LogOptions {
  readonly destination: LogDestination
  /** The least level that is written. */
  readonly level: LogLevel
  readonly clock: Clock
}

const LEVELS: readonly LogLevel[] = ['info', 'warn', 'error', 'fatal', 'silent']

/** Makes the log. What the destination had to drop is told by a line `log_dropped` as soon as there is room again. */
export function createLog({ destination, level, clock }: LogOptions): Log {
  const least = LEVELS.indexOf(level)
  let toldDropped = 0

  function write(lineLevel: LogLevel, event: string, fields: LogFields = {}): void {
    if (LEVELS.indexOf(lineLevel) < least) return
    put(lineLevel, event, fields)
    tellDropped()
  }

  function put(lineLevel: LogLevel, event: string, fields: LogFields): void {
    const time = clock.wallMs()
    const text = plainText(fields) ?? JSON.stringify(redact(fields))
    const head = `{"level":"${lineLevel}","time":${time},"event":${JSON.stringify(event)}`
    destination.write(text === '{}' ? `${head}}\n` : `${head},${text.slice(1)}\n`)
  }

  /** A line about the loss that is lost too is told with the next one; it does not count itself. */
  function tellDropped(): void {
    const before = destination.droppedLines
    const lines = before - toldDropped
    if (lines === 0) return
    put('warn', 'log_dropped', { lines })
    const lostToo = destination.droppedLines - before
    toldDropped = lostToo === 0 ? before : toldDropped + lostToo
  }

  return {
    info: (event, fields) => write('info', event, fields),
    warn: (event, fields) => write('warn', event, fields),
    error: (event, fields) => write('error', event, fields),
    fatal(event, fields) {
      write('fatal', event, fields)
      destination.flushSync()
    },
    flush: () => destination.flush(),
  }
}
