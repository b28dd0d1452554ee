export { assert, Bug, never } from './assert.ts'
export { type CancelTimer, type Clock, delay, systemClock } from './clock.ts'
export { base62, type Random, systemRandom, timeOrderedId } from './ids.ts'
export { ReadDeadline, type SharedRead, type SharedReadOptions, sharedRead } from './shared-read.ts'
