import { type Command, Option } from 'commander'
import { z } from 'zod'
import { formatUsd } from '../domain/index.ts'
import { DAY_MS } from '../lib/index.ts'
import { type CliContext, show } from './context.ts'
import { csv } from './csv.ts'
import { dollars } from './dollars.ts'
import { plain, table } from './table.ts'
import { timeBack } from './time-back.ts'
import { withAdmin } from './with-admin.ts'

const text = z.string().nullable().optional()
const row = z.object({
  account_id: text,
  account_name: text,
  key_id: text,
  key_name: text,
  model: text,
  backend: text,
  owner: text,
  day: text,
  requests: z.number(),
  voided: z.number(),
  units: z
    .object({
      input: z.number(),
      cached_input: z.number(),
      cache_write: z.number(),
      output: z.number(),
      reasoning: z.number(),
    })
    .catchall(z.number()),
  cost_nano: z.string(),
  charged_nano: z.string(),
  absorbed_nano: z.string().optional(),
  overrun_nano: z.string().optional(),
  expense_nano: z.string().optional(),
})
const answerShape = z.object({
  by: z.array(z.enum(['account', 'key', 'model', 'backend', 'owner', 'day'])),
  data: z.array(row),
})
type Answer = z.infer<typeof answerShape>
type Row = Answer['data'][number]

interface Flags {
  readonly account?: string
  readonly key?: string
  readonly by: string
  readonly cost?: true
  /** In ms since 1970. */
  readonly since?: number
  readonly until?: number
  readonly csv?: true
  readonly json?: true
}

/** `usage`: what was used and what it came to. */
export function addUsage(program: Command, context: CliContext): void {
  const timeOf = (given: string) => timeBack(given, context.terminal.clock.wallMs())
  // A span in days begins with its first day: whole days are kept ready.
  const sinceOf = (given: string) => (SPAN_IN_DAYS.test(given) ? dayBegin(timeOf(given)) : timeOf(given))
  program
    .command('usage')
    .description('what was used, and what it came to: exact sums over settlements')
    .option('--account <account>', 'of this account alone: id or name')
    .option('--key <key>', 'of this key alone: its id')
    .option(
      '--by <list>',
      'how to group: account, key, model, backend, owner (of the credential), day, separated by commas',
      'day',
    )
    .option(
      '--cost',
      'with what the providers bill you, what they may bill for attempts that did not serve (absorbed), and what accounts could not pay (overrun)',
    )
    .option(
      '--since <time>',
      'from then on: a span (12h; 7d: whole days), a day in UTC or a time (default: 30d)',
      sinceOf,
    )
    .option('--until <time>', 'up to then (default: now)', timeOf)
    .option('--csv', 'print CSV')
    .addOption(new Option('--json', 'print JSON').conflicts('csv'))
    .action(async (flags: Flags, command: Command) => {
      const answer = await withAdmin(context, command, (admin) => admin('GET', `/usage?${queryOf(flags)}`))
      show(context, flags.json, answer, () => {
        const usage = answerShape.parse(answer)
        return flags.csv ? csvText(usage, flags.cost === true) : tableText(usage, flags.cost === true)
      })
    })
}

function queryOf({ account, key, by, cost, since, until }: Flags): URLSearchParams {
  const words = new URLSearchParams({ by })
  if (account !== undefined) words.set('account', account)
  if (key !== undefined) words.set('key', key)
  if (cost) words.set('cost', '1')
  if (since !== undefined) words.set('since', String(since))
  if (until !== undefined) words.set('until', String(until))
  return words
}

function tableText({ by, data }: Answer, withCost: boolean): string {
  const numbers = [
    'requests',
    'voided',
    'input',
    'cached',
    'output',
    'cost',
    'charged',
    ...(withCost ? ['overrun', 'expense', 'absorbed'] : []),
  ]
  const columns = [...by.map((name) => ({ name })), ...numbers.map((name) => ({ name, right: true }))]
  const rows = data.map((one) => [...by.map((key) => labelOf(one, key)), ...numbersOf(one, withCost)])
  const total =
    data.length < 2 || by.length === 0
      ? []
      : [['total', ...by.slice(1).map(() => ''), ...numbersOf(totalOf(data), withCost)]]
  return table(columns, [...rows, ...total], 'nothing was used')
}

/** A name where there is one; `-` for what no backend served. */
function labelOf(one: Row, key: Answer['by'][number]): string {
  if (key === 'account') return plain(one.account_name ?? one.account_id ?? '-')
  if (key === 'key') return plain(one.key_name ?? one.key_id ?? '-')
  return plain(one[key] ?? '-')
}

function numbersOf({ requests, voided, units, ...money }: Row, withCost: boolean): string[] {
  const of = (kind: string): number => units[kind] ?? 0
  const cached = units.cached_input + of('cached_input_audio') + of('cached_input_image')
  const media = of('input_audio') + of('input_image') + of('cache_write_long')
  const output = units.output + units.reasoning + of('output_audio') + of('output_image')
  const input = units.input + units.cache_write + cached + media
  const amounts = [
    money.cost_nano,
    money.charged_nano,
    ...(withCost ? [money.overrun_nano ?? '0', money.expense_nano ?? '0', money.absorbed_nano ?? '0'] : []),
  ]
  const counts = [requests, voided, input, cached, output]
  return [...counts.map(String), ...amounts.map((nano) => dollars(usd(nano)))]
}

function totalOf(data: readonly Row[]): Row {
  const count = (of: (one: Row) => number) => data.reduce((sum, one) => sum + of(one), 0)
  const money = (of: (one: Row) => string) => data.reduce((sum, one) => sum + BigInt(of(one)), 0n).toString()
  return {
    requests: count(({ requests }) => requests),
    voided: count(({ voided }) => voided),
    units: {
      input: count(({ units }) => units.input),
      cached_input: count(({ units }) => units.cached_input),
      cache_write: count(({ units }) => units.cache_write),
      output: count(({ units }) => units.output),
      reasoning: count(({ units }) => units.reasoning),
      ...Object.fromEntries(FURTHER.map((kind) => [kind, count(({ units }) => units[kind] ?? 0)])),
    },
    cost_nano: money(({ cost_nano }) => cost_nano),
    charged_nano: money(({ charged_nano }) => charged_nano),
    overrun_nano: money(({ overrun_nano }) => overrun_nano ?? '0'),
    expense_nano: money(({ expense_nano }) => expense_nano ?? '0'),
    absorbed_nano: money(({ absorbed_nano }) => absorbed_nano ?? '0'),
  }
}

const FURTHER = [
  'cache_write_long',
  'input_audio',
  'cached_input_audio',
  'input_image',
  'cached_input_image',
  'output_audio',
  'output_image',
  'images',
  'audio_ms',
  'characters',
  'searches',
]
const UNITS = ['input', 'cached_input', 'cache_write', 'output', 'reasoning', ...FURTHER]

/** Every figure by itself, for programs: ids beside names, dollars without a sign. */
function csvText({ by, data }: Answer, withCost: boolean): string {
  const names = by.flatMap((key) =>
    key === 'account' || key === 'key' ? ([`${key}_id`, `${key}_name`] as const) : [key],
  )
  const head = [
    ...names,
    'requests',
    'voided',
    ...UNITS,
    'cost_usd',
    'charged_usd',
    ...(withCost ? ['overrun_usd', 'expense_usd', 'absorbed_usd'] : []),
  ]
  const rows = data.map((one) => [
    ...names.map((name) => one[name] ?? ''),
    String(one.requests),
    String(one.voided),
    ...UNITS.map((kind) => String(one.units[kind] ?? 0)),
    usd(one.cost_nano),
    usd(one.charged_nano),
    ...(withCost ? [usd(one.overrun_nano ?? '0'), usd(one.expense_nano ?? '0'), usd(one.absorbed_nano ?? '0')] : []),
  ])
  return csv([head, ...rows])
}

const SPAN_IN_DAYS = /^\d+d$/
const dayBegin = (atMs: number): number => Math.floor(atMs / DAY_MS) * DAY_MS

const usd = (nano: string): string => formatUsd(BigInt(nano))
