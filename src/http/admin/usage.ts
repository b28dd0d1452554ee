import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { formatUsd, GatewayError, NO_USAGE } from '../../domain/index.ts'
import { DAY_MS, momentMs } from '../../lib/index.ts'
import type { UsageKey, UsageRow } from '../../store/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import type { AdminDeps } from './deps.ts'
import { accountIdOrNull } from './find-account.ts'
import { findKey } from './find-key.ts'
import { snakeCase } from './snake-case.ts'
import { usageDoc } from './usage-doc.ts'

const KEYS: readonly UsageKey[] = ['account', 'key', 'model', 'backend', 'owner', 'day']
const DAYS_DEFAULT = 30

const time = (description: string) => Type.Optional(Type.String({ description }))
const FORM = 'a day (`2026-07-31`, in UTC), a time with its zone (`2026-07-31T12:00:00Z`), or ms since 1970'
const query = Type.Object({
  by: Type.Optional(
    Type.String({
      description: `How to group, in the order of the answer, by commas: ${KEYS.join(', ')}. One sum when absent.`,
    }),
  ),
  since: time(
    `From this time on: ${FORM}. The beginning of the day ${DAYS_DEFAULT} days before \`until\` when absent.`,
  ),
  until: time('Up to this time, and without it; now when absent.'),
  account: Type.Optional(Type.String({ description: 'Id or name: of this account alone.' })),
  key: Type.Optional(Type.String({ description: 'Id: of this key alone.' })),
  cost: Type.Optional(
    Type.String({
      pattern: '^[01]$',
      description: '`1`: with what the providers bill the operator, and what accounts could not pay.',
    }),
  ),
})

/** `/usage`: exact sums over the settlements of a time. */
export function usage(deps: AdminDeps) {
  return new Elysia().get(
    '/usage',
    async ({ query: wish }) => {
      const by = keysOf(wish.by)
      const untilMs = wish.until === undefined ? deps.clock.wallMs() + 1 : timeOf('until', wish.until)
      const sinceMs = wish.since === undefined ? dayBefore(untilMs, DAYS_DEFAULT) : timeOf('since', wish.since)
      if (sinceMs >= untilMs)
        throw new GatewayError('invalid_request', "'since' must be before 'until'.", { param: 'since' })
      const accountId = await accountIdOrNull(deps, wish.account)
      const keyId = wish.key === undefined ? null : (await findKey(deps, wish.key)).id
      const answer = await deps.store.reader.usage({
        by,
        sinceMs,
        untilMs,
        accountId,
        keyId,
        withAbsorbed: wish.cost === '1',
      })
      if (answer.kind === 'too_many')
        throw new GatewayError(
          'invalid_request',
          'This has more than 10000 rows: ask for less time, or group by less.',
          {
            param: 'by',
          },
        )
      const data = answer.rows.map((row) => view(row, by, wish.cost === '1'))
      return { by, since_ms: sinceMs, until_ms: untilMs, data, has_more: false, next: null }
    },
    { query, detail: operationDoc(usageDoc.sums) },
  )
}

function keysOf(text: string | undefined): UsageKey[] {
  const names = text === undefined || text === '' ? [] : text.split(',')
  const keys = names.flatMap((name) => KEYS.find((key) => key === name) ?? [])
  if (keys.length !== names.length || new Set(keys).size !== keys.length)
    throw new GatewayError('invalid_request', `'by' must be some of ${KEYS.join(', ')}, each once, by commas.`, {
      param: 'by',
    })
  return keys
}

/** When the day of so many days before began, in UTC: whole days are kept ready. */
const dayBefore = (atMs: number, days: number): number => Math.max(0, Math.floor(atMs / DAY_MS) - days) * DAY_MS

const MS = /^\d{1,15}$/

function timeOf(param: 'since' | 'until', text: string): number {
  const ms = MS.test(text) ? Number(text) : momentMs(text)
  if (ms === null)
    throw new GatewayError('invalid_request', `'${param}' must be ${FORM.replaceAll('`', '')}.`, { param })
  return ms
}

/** Sums of money in nano-dollars are text: they may leave the integers that JSON readers carry. */
function view(
  { keys, accountName, keyName, requests, voided, units, cost, charged, overrun, expense, absorbed }: UsageRow,
  by: readonly UsageKey[],
  withCost: boolean,
): object {
  // What it is not grouped by is undefined, which JSON leaves out.
  const of = (key: UsageKey) => (by.includes(key) ? (keys[by.indexOf(key)] ?? null) : undefined)
  const isRare = (kind: string): boolean => !(kind in NO_USAGE)
  const told = Object.entries(units).filter(([kind, count]) => count > 0n || !isRare(kind))
  const counts = told.map(([kind, count]) => [kind, Number(count)])
  return {
    account_id: of('account'),
    account_name: by.includes('account') ? accountName : undefined,
    key_id: of('key'),
    key_name: by.includes('key') ? keyName : undefined,
    model: of('model'),
    backend: of('backend'),
    owner: of('owner'),
    day: of('day'),
    requests: Number(requests),
    voided: Number(voided),
    units: snakeCase(Object.fromEntries(counts)),
    ...sum('cost', cost),
    ...sum('charged', charged),
    ...(withCost ? { ...sum('overrun', overrun), ...sum('expense', expense), ...sum('absorbed', absorbed) } : {}),
  }
}

const sum = (name: string, nanoDollars: bigint): object => ({
  [`${name}_usd`]: formatUsd(nanoDollars),
  [`${name}_nano`]: nanoDollars.toString(),
})
