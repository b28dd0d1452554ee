export type { Call } from './protocol.ts'
export { type PostEvent, serveThread } from './serve-thread.ts'
export { CallDeadline, startThread, type Thread, ThreadDied, ThreadFailure } from './start-thread.ts'
