import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { dollars } from './dollars.ts'
import { bodyOf, listOf, listText, NONE, type OrNone, orNone } from './or-none.ts'
import { addPolicyFlags, type PolicyFlags, policyBody, policyTerms, policyText } from './policy-terms.ts'
import { timeAhead } from './time-ahead.ts'

/** What a key may do, as the admin interface writes it. */
export const keyTerms = policyTerms.extend({
  models: z.array(z.string()).nullable(),
  expires_at_ms: z.number().nullable(),
  addresses: z.array(z.string()).nullable(),
  budget_total_usd: z.string().nullable(),
  budget_day_usd: z.string().nullable(),
  budget_week_usd: z.string().nullable(),
  budget_month_usd: z.string().nullable(),
  requests_per_minute: z.number().nullable(),
  tokens_per_minute: z.number().nullable(),
  concurrency: z.number().nullable(),
})

/** The flags of a key's terms, as commander names them. */
export interface TermsFlags extends PolicyFlags {
  readonly models?: OrNone<readonly string[]>
  /** In ms since 1970. */
  readonly expires?: OrNone<number>
  readonly addresses?: OrNone<readonly string[]>
  readonly budgetTotal?: string
  readonly budgetDay?: string
  readonly budgetWeek?: string
  readonly budgetMonth?: string
  readonly rpm?: OrNone<number>
  readonly tpm?: OrNone<number>
  readonly concurrency?: OrNone<number>
}

/** Adds the flags of a key's terms to a command; each takes `none`, which is without a bound. */
export function addTermsFlags(command: Command, nowMs: () => number): Command {
  command
    .option('--models <list>', 'the models it may use, separated by commas, or none: all', orNone(listOf))
    .option(
      '--expires <time>',
      'when it ends: after a span (12h, 30d), at a time (2027-01-31), or none',
      orNone((text) => timeAhead(text, nowMs())),
    )
    .option(
      '--addresses <list>',
      'where it may be used from: addresses and CIDR ranges, or none: anywhere',
      orNone(listOf),
    )
    .option('--budget-total <usd>', 'the most its requests may be charged, or none')
    .option('--budget-day <usd>', 'the same in a day (UTC)')
    .option('--budget-week <usd>', 'the same in a week (from Monday, UTC)')
    .option('--budget-month <usd>', 'the same in a month (UTC)')
    .option('--rpm <count>', 'requests per minute, or none', orNone(countOf))
    .option('--tpm <count>', 'tokens per minute, or none', orNone(countOf))
    .option('--concurrency <count>', 'requests in progress at once, or none', orNone(countOf))
  return addPolicyFlags(command)
}

/** The fields of a body that these flags stand for. */
export function termsBody(flags: TermsFlags): object {
  return bodyOf({
    models: flags.models,
    expires_at_ms: flags.expires,
    addresses: flags.addresses,
    budget_total_usd: flags.budgetTotal,
    budget_day_usd: flags.budgetDay,
    budget_week_usd: flags.budgetWeek,
    budget_month_usd: flags.budgetMonth,
    requests_per_minute: flags.rpm,
    tokens_per_minute: flags.tpm,
    concurrency: flags.concurrency,
    ...policyBody(flags),
  })
}

/** What a key may do, as lines of a name and a value. */
export const termsFields = (terms: z.infer<typeof keyTerms>): [string, string][] => [
  ['models', terms.models === null ? 'all' : listText(terms.models)],
  ['expires', terms.expires_at_ms === null ? 'never' : new Date(terms.expires_at_ms).toISOString()],
  ['addresses', terms.addresses === null ? 'any' : listText(terms.addresses)],
  ['budgets', budgetsText(terms)],
  ['limits', limitsText(terms)],
  ['policy', policyText(terms)],
]

function countOf(text: string): number {
  if (!/^\d{1,12}$/.test(text) || Number(text) === 0) throw new InvalidArgumentError('Write a whole number from 1.')
  return Number(text)
}

function budgetsText(terms: z.infer<typeof keyTerms>): string {
  const budgets = [
    ['total', terms.budget_total_usd],
    ['day', terms.budget_day_usd],
    ['week', terms.budget_week_usd],
    ['month', terms.budget_month_usd],
  ] as const
  return joined(budgets.flatMap(([name, usd]) => (usd === null ? [] : [`${dollars(usd)}/${name}`])))
}

function limitsText(terms: z.infer<typeof keyTerms>): string {
  const limits = [
    ['rpm', terms.requests_per_minute],
    ['tpm', terms.tokens_per_minute],
    ['at once', terms.concurrency],
  ] as const
  return joined(limits.flatMap(([name, count]) => (count === null ? [] : [`${count} ${name}`])))
}

const joined = (words: readonly string[]): string => (words.length === 0 ? NONE : words.join(', '))
