import type { Rule } from '../rule.ts'
import { catalogueOrder } from './catalogue-order.ts'
import { enabled } from './enabled.ts'
import { notCooling } from './not-cooling.ts'
import { notQuarantined } from './not-quarantined.ts'
import { ownFirst } from './own-first.ts'
import { ownUsable } from './own-usable.ts'
import { permitted } from './permitted.ts'
import { priced } from './priced.ts'

/** All rules; position is priority, filters before rankings. */
export const rules: readonly Rule[] = [
  enabled,
  permitted,
  priced,
  ownUsable,
  notQuarantined,
  notCooling,
  ownFirst,
  catalogueOrder,
]
