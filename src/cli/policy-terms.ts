import type { Command } from 'commander'
import { z } from 'zod'
import { listOf, listText, NONE, type OrNone, orNone } from './or-none.ts'

const names = z.array(z.string()).nullable()

/** A policy, as the admin interface writes it. */
export const policyTerms = z.object({
  allow_foreign: z.boolean(),
  regions: names,
  ownerships: names,
  zdr: z.boolean(),
  allow_training: z.boolean(),
  only: names,
  ignore: names,
})

/** The flags of a policy, as commander names them. */
export interface PolicyFlags {
  readonly allowForeign?: boolean
  readonly regions?: OrNone<readonly string[]>
  readonly ownership?: OrNone<readonly string[]>
  readonly zdr?: boolean
  readonly training?: boolean
  readonly only?: OrNone<readonly string[]>
  readonly ignore?: OrNone<readonly string[]>
}

/** Adds the flags of a policy to a command. */
export const addPolicyFlags = (command: Command): Command =>
  command
    .option('--allow-foreign', 'requests may leave the home regions (account and key must both say so)')
    .option('--no-allow-foreign', 'they stay at home')
    .option('--regions <list>', 'where backends may run, separated by commas, or none: anywhere', orNone(listOf))
    .option('--ownership <list>', 'countries that may own the provider (ca,fr), or none: any', orNone(listOf))
    .option('--zdr', 'providers alone that say they keep nothing')
    .option('--no-zdr', 'any provider')
    .option('--training', 'providers too that train on what they are sent, or do not say')
    .option('--no-training', 'none of them')
    .option('--only <list>', 'these providers and backends alone, or none: all', orNone(listOf))
    .option('--ignore <list>', 'none of these providers and backends, or none', orNone(listOf))

/** The fields of a body that these flags stand for; those that were not given are undefined. */
export const policyBody = (flags: PolicyFlags) => ({
  allow_foreign: flags.allowForeign,
  regions: flags.regions,
  ownerships: flags.ownership,
  zdr: flags.zdr,
  allow_training: flags.training,
  only: flags.only,
  ignore: flags.ignore,
})

/** A policy in words; `none` when it binds nothing but to stay at home. */
export function policyText(policy: z.infer<typeof policyTerms>): string {
  const { regions, ownerships, only, ignore } = policy
  const words = [
    policy.allow_foreign ? 'foreign' : '',
    regions === null ? '' : `regions ${listText(regions)}`,
    ownerships === null ? '' : `owners ${listText(ownerships)}`,
    policy.zdr ? 'zdr' : '',
    policy.allow_training ? '' : 'no training',
    only === null ? '' : `only ${listText(only)}`,
    ignore === null ? '' : `ignore ${listText(ignore)}`,
  ].filter((word) => word !== '')
  return words.length === 0 ? NONE : words.join('; ')
}
