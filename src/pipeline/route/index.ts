export { refuseEmptyPlan, route } from './route.ts'
export type { Wish, World } from './rule.ts'
