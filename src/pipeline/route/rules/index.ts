import type { Rule } from '../rule.ts'
import { catalogueOrder } from './catalogue-order.ts'
import { dataHandling } from './data-handling.ts'
import { enabled } from './enabled.ts'
import { homeTier } from './home-tier.ts'
import { notCooling } from './not-cooling.ts'
import { notQuarantined } from './not-quarantined.ts'
import { ownFirst } from './own-first.ts'
import { ownUsable } from './own-usable.ts'
import { permitted } from './permitted.ts'
import { priced } from './priced.ts'
import { sovereignty } from './sovereignty.ts'

/** All rules; position is priority, filters before rankings. */
export const rules: readonly Rule[] = [
  enabled,
  permitted,
  sovereignty,
  dataHandling,
  priced,
  ownUsable,
  notQuarantined,
  notCooling,
  homeTier,
  ownFirst,
  catalogueOrder,
]
