import type { Rule } from '../rule.ts'
import { byLatency } from './by-latency.ts'
import { byPrice } from './by-price.ts'
import { byThroughput } from './by-throughput.ts'
import { byUptime } from './by-uptime.ts'
import { byWeight } from './by-weight.ts'
import { callerOrder } from './caller-order.ts'
import { capable } from './capable.ts'
import { contextLength } from './context-length.ts'
import { dataHandling } from './data-handling.ts'
import { enabled } from './enabled.ts'
import { freeOfCharge } from './free-of-charge.ts'
import { homeTier } from './home-tier.ts'
import { keptAt } from './kept-at.ts'
import { notCooling } from './not-cooling.ts'
import { notQuarantined } from './not-quarantined.ts'
import { ownFirst } from './own-first.ts'
import { ownOnly } from './own-only.ts'
import { ownUsable } from './own-usable.ts'
import { parameters } from './parameters.ts'
import { permitted } from './permitted.ts'
import { preferredSpeed } from './preferred-speed.ts'
import { priced } from './priced.ts'
import { providers } from './providers.ts'
import { quantized } from './quantized.ts'
import { serves } from './serves.ts'
import { sovereignty } from './sovereignty.ts'
import { sticky } from './sticky.ts'
import { withinMaxPrice } from './within-max-price.ts'

/** All rules; position is priority, filters before rankings. */
export const rules: readonly Rule[] = [
  enabled,
  permitted,
  serves,
  keptAt,
  providers,
  sovereignty,
  dataHandling,
  capable,
  contextLength,
  parameters,
  quantized,
  priced,
  withinMaxPrice,
  freeOfCharge,
  ownOnly,
  ownUsable,
  notQuarantined,
  notCooling,
  homeTier,
  ownFirst,
  callerOrder,
  sticky,
  preferredSpeed,
  byPrice,
  byLatency,
  byThroughput,
  byUptime,
  byWeight,
]
