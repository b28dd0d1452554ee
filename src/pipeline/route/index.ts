export { captureWorld } from './capture-world.ts'
export { refuseEmptyPlan, route, unknownModel } from './route.ts'
export { skipOf, type Wish, type World } from './rule.ts'
