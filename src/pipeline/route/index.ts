export { captureWorld } from './capture-world.ts'
export { refuseEmptyPlan, route, unknownModel } from './route.ts'
export type { Wish, World } from './rule.ts'
