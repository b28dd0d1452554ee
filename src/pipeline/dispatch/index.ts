export type { LiveObserver, LiveStream } from './attempt.ts'
export { type DispatchEnd, type DispatchPlan, dispatch } from './dispatch.ts'
