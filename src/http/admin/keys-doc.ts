import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields, pageExample } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'
import { POLICY, policyProperties } from './policy-schema.ts'

const budget = (what: string) =>
  fields.orNull(Type.String(), `The most that its requests may be charged ${what}, in decimal dollars.`)
const count = (what: string) => fields.orNull(Type.Integer(), what)

const properties = {
  id: fields.id('key_'),
  account_id: fields.id('acc_'),
  name: Type.String(),
  prefix: Type.String({ description: 'How the secret begins, to tell keys apart.' }),
  disabled: Type.Boolean({ description: 'It is refused for now.' }),
  models: fields.orNull(Type.Array(Type.String()), 'Ids of the models it may use; null: all.'),
  expires_at_ms: fields.orNull(Type.Integer(), 'When it ends, in ms since 1970; null: never.'),
  addresses: fields.orNull(Type.Array(Type.String()), 'Where it may be used from; null: from anywhere.'),
  budget_total_usd: budget('in all'),
  budget_day_usd: budget('in a day (UTC)'),
  budget_week_usd: budget('in a week (from Monday, UTC)'),
  budget_month_usd: budget('in a month (UTC)'),
  requests_per_minute: count('Requests in any minute.'),
  tokens_per_minute: count('Tokens of prompts and answers in any minute.'),
  concurrency: count('Requests in progress at once.'),
  ...policyProperties,
  revoked: Type.Boolean(),
}

const key = Type.Object(properties, { title: 'Key' })
const newKey = Type.Object(
  { ...properties, secret: Type.String({ description: 'Shown now and never again.' }) },
  { title: 'NewKey' },
)

const spentKey = Type.Object(
  {
    ...properties,
    ...fields.amount('spent_total', 'What its requests were charged in all.'),
    ...fields.amount('spent_day', 'Today (UTC).'),
    ...fields.amount('spent_week', 'This week (from Monday, UTC).'),
    ...fields.amount('spent_month', 'This month (UTC).'),
  },
  { title: 'KeyWithSpend' },
)

const KEY = {
  id: examples.keyId,
  account_id: examples.accountId,
  name: 'laptop',
  prefix: 'sk-ar-v1-Xk3v',
  disabled: false,
  models: null,
  expires_at_ms: null,
  addresses: null,
  budget_total_usd: null,
  budget_day_usd: '5.00',
  budget_week_usd: null,
  budget_month_usd: null,
  requests_per_minute: 600,
  tokens_per_minute: null,
  concurrency: null,
  ...POLICY,
  revoked: false,
}

const SPENT = Object.fromEntries(
  ['total', 'day', 'week', 'month'].flatMap((name) => [
    [`spent_${name}_usd`, '0.00000735'],
    [`spent_${name}_nano`, 7350],
  ]),
)

const common = { tag: 'Keys', access: 'management' } as const

/** `/keys` for the document. */
export const keysDoc = {
  create: {
    ...common,
    summary: 'Make a key',
    description: 'It takes effect on the next request.',
    once: true,
    tagged: true,
    requests: {
      'All models': { account: 'demo', name: 'laptop' },
      'With limits': { account: 'demo', name: 'intern', budget_day_usd: '5.00', requests_per_minute: 600 },
      'Canadian owners, no training': {
        account: 'demo',
        name: 'clinic',
        regions: ['ca'],
        ownerships: ['ca'],
        allow_training: false,
      },
      'Some models': { account: 'demo', name: 'batch', models: [SAMPLE_MODEL] },
    },
    answer: jsonAnswer(201, 'The key with its secret.', newKey, { ...KEY, secret: 'sk-ar-v1-Xk3v…' }),
    errors: ['not_found', 'model_not_found'],
  },
  list: {
    ...common,
    summary: 'List keys',
    answer: jsonAnswer(200, 'One page.', fields.page(key), pageExample(KEY)),
    errors: ['invalid_request', 'not_found'],
  },
  show: {
    ...common,
    summary: 'Show a key with what it spent',
    description: 'A request counts in the windows in which it began.',
    tagged: true,
    answer: jsonAnswer(200, 'The key.', spentKey, { ...KEY, ...SPENT }),
    errors: ['not_found'],
  },
  update: {
    ...common,
    summary: 'Change a key',
    description: 'What is absent stays; null takes the bound away. It takes effect on the next request.',
    tagged: true,
    conditional: true,
    requests: {
      Limits: { requests_per_minute: 600, budget_day_usd: '5.00' },
      'Out of the home regions': { allow_foreign: true },
      Paused: { disabled: true },
      'No limits': { requests_per_minute: null, tokens_per_minute: null, concurrency: null },
    },
    answer: jsonAnswer(200, 'The key.', key, KEY),
    errors: ['not_found', 'model_not_found', 'precondition_failed'],
  },
  revoke: {
    ...common,
    summary: 'Revoke a key, for good',
    description: 'The next request with it is refused. Those in progress end as they would.',
    answer: jsonAnswer(200, 'The key.', key, { ...KEY, revoked: true }),
    errors: ['not_found'],
  },
} satisfies Record<string, OperationDoc>
