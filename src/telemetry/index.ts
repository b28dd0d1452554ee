export { createLog, type Log, type LogLevel, type LogOptions } from './log.ts'
export { type BufferedDestinationOptions, bufferedDestination, type LogDestination } from './log-destination.ts'
export type { LogFields, LogValue } from './redact.ts'
