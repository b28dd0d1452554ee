export { type Exclusion, exclusionOf } from './exclusion-of.ts'
export { createHealth, type Health, type OperatorWish } from './health.ts'
