import type { Log, LogFields } from '../../src/telemetry/index.ts'

/** A log that keeps its lines, and the errors among them until they are taken. */
export function logDouble(): { log: Log; logs: readonly LogLine[]; takeErrors: () => LogLine[] } {
  const logs: LogLine[] = []
  let errors: LogLine[] = []
  const write =
    (level: LogLine['level']) =>
    (event: string, fields: LogFields = {}): void => {
      const line = { level, event, fields }
      logs.push(line)
      if (level === 'error' || level === 'fatal') errors.push(line)
    }
  const log: Log = {
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('fatal'),
    flush: async () => {},
  }
  const takeErrors = (): LogLine[] => {
    const taken = errors
    errors = []
    return taken
  }
  return { log, logs, takeErrors }
}

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error' | 'fatal'
  readonly event: string
  readonly fields: LogFields
}
