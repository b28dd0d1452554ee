export { refuseEmptyPlan, route, unknownModel } from './route.ts'
export type { Wish, World } from './rule.ts'
