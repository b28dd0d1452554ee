/**
 * A constraint on routing, of an account or a key: every field narrows which backends its requests may use, and null is without that bound.
 * Ids, regions and countries are as the configuration writes them.
 */
export interface Policy {
  /** Whether requests may leave the home regions, where the operator has set some. */
  readonly allowForeign: boolean
  /** Where backends may run; `ca` stands for `ca-central` too. */
  readonly regions: readonly string[] | null
  /** Countries that may own the provider. */
  readonly ownerships: readonly string[] | null
  /** Backends alone that are known to keep nothing of a request. */
  readonly zeroRetention: boolean
  /** Whether providers may be used that train on what they are sent, or do not say. */
  readonly allowTraining: boolean
  /** Ids of providers and backends: these alone. */
  readonly only: readonly string[] | null
  /** Ids of providers and backends: none of these. Null: none is left out. */
  readonly ignore: readonly string[] | null
}

/** Without any bound: what narrows nothing in a merge. */
export const UNBOUND_POLICY: Policy = {
  allowForeign: true,
  regions: null,
  ownerships: null,
  zeroRetention: false,
  allowTraining: true,
  only: null,
  ignore: null,
}

/** Of whoever was given no other: a request stays at home. */
export const DEFAULT_POLICY: Policy = { ...UNBOUND_POLICY, allowForeign: false }

/** A change of a policy: what is absent stays; null takes the bound away. */
export type PolicyChange = Partial<Policy>

/** What several policies allow together. */
export interface MergedPolicy extends Omit<Policy, 'only'> {
  /** A backend, or its provider, is in each of these lists. */
  readonly only: readonly (readonly string[])[]
}

/** What narrows nothing. */
const UNBOUND: MergedPolicy = { ...UNBOUND_POLICY, only: [] }

const DEFAULT: MergedPolicy = { ...UNBOUND, allowForeign: false }

/** What each of them allows: the strictest wins, whatever their order. A null part narrows nothing. Pure. */
export function mergePolicies(...parts: readonly (Policy | null)[]): MergedPolicy {
  let merged = UNBOUND
  for (const part of parts) if (part !== null) merged = narrowed(merged, part)
  return merged
}

/** As `mergePolicies`, of what was merged already and one more. */
export function narrowed(merged: MergedPolicy, part: Policy): MergedPolicy {
  if (part === DEFAULT_POLICY && (merged === UNBOUND || merged === DEFAULT)) return DEFAULT // most accounts and keys
  return {
    allowForeign: merged.allowForeign && part.allowForeign,
    regions: both(merged.regions, part.regions, commonRegions),
    ownerships: both(merged.ownerships, part.ownerships, common),
    zeroRetention: merged.zeroRetention || part.zeroRetention,
    allowTraining: merged.allowTraining && part.allowTraining,
    only: part.only === null ? merged.only : [...merged.only, part.only],
    ignore: both(merged.ignore, part.ignore, union),
  }
}

type List = readonly string[]

const both = (one: List | null, other: List | null, join: (one: List, other: List) => List): List | null =>
  one === null || other === null ? (one ?? other) : join(one, other)

const common = (one: List, other: List): List => one.filter((name) => other.includes(name))
const union = (one: List, other: List): List => [...new Set([...one, ...other])]

/** Of a region and a part of it, the part. */
const commonRegions = (one: List, other: List): List => [
  ...one.filter((region) => isInRegions(region, other)),
  ...other.filter((region) => !one.includes(region) && isInRegions(region, one)),
]

/** Whether a region is one of these, or a part of one: `ca-central` is a part of `ca`. An unknown region is in none. */
export const isInRegions = (region: string | null, regions: List): boolean =>
  region !== null && regions.some((one) => region === one || region.startsWith(`${one}-`))

/** Whether a region is at home: where no home regions are set, all are. */
export const isHome = (region: string | null, homeRegions: List): boolean =>
  homeRegions.length === 0 || isInRegions(region, homeRegions)
