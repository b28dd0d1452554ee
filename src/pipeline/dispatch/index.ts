export { type DispatchPlan, dispatch } from './dispatch.ts'
