import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields, pageExample } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { POLICY, policyProperties } from './policy-schema.ts'

const account = Type.Object(
  {
    id: fields.id('acc_'),
    name: Type.String(),
    kind: fields.oneOf('prepaid', 'unmetered'),
    disabled: Type.Boolean(),
    models: fields.orNull(Type.Array(Type.String()), 'Ids of the models that its keys may use; null: all.'),
    byok_fallback: fields.oneOf('shared', 'never'),
    store_content: Type.Boolean({ description: 'Whether prompts and answers of its requests are kept.' }),
    ...policyProperties,
    ...fields.amount('balance', 'What was paid in, less what was charged.'),
    ...fields.amount('held', 'Set aside for requests in progress.'),
    ...fields.amount('available', 'Balance − held.'),
  },
  { title: 'Account' },
)

const ACCOUNT = {
  id: examples.accountId,
  name: 'demo',
  kind: 'prepaid',
  disabled: false,
  models: null,
  byok_fallback: 'shared',
  store_content: false,
  ...POLICY,
  balance_usd: '5.00',
  balance_nano: 5_000_000_000,
  held_usd: '0.00',
  held_nano: 0,
  available_usd: '5.00',
  available_nano: 5_000_000_000,
}

const common = { tag: 'Accounts', access: 'management' } as const

/** `/accounts` for the document. */
export const accountsDoc = {
  create: {
    ...common,
    summary: 'Make an account',
    description: 'Prepaid unless it is said otherwise. An unmetered one needs the scope `credits` too.',
    once: true,
    tagged: true,
    requests: {
      Prepaid: { name: 'team-blue' },
      Unmetered: { name: 'house', kind: 'unmetered' },
      'Zero retention': { name: 'clinic', zdr: true },
    },
    answer: jsonAnswer(201, 'The account, empty.', account, { ...ACCOUNT, name: 'team-blue' }),
    errors: ['conflict', 'model_not_found'],
  },
  list: {
    ...common,
    summary: 'List accounts',
    answer: jsonAnswer(200, 'One page.', fields.page(account), pageExample(ACCOUNT)),
    errors: ['invalid_request'],
  },
  show: {
    ...common,
    summary: 'Show an account',
    tagged: true,
    answer: jsonAnswer(200, 'The account, with its live figures.', account, ACCOUNT),
    errors: ['not_found'],
  },
  update: {
    ...common,
    summary: 'Rename, bind, disable or enable an account',
    description:
      'What is absent stays; null takes a bound away. It takes effect on the next request. Those in progress end as they would.',
    tagged: true,
    conditional: true,
    requests: {
      Rename: { name: 'team-green' },
      Disable: { disabled: true },
      'Out of the home regions': { allow_foreign: true },
    },
    answer: jsonAnswer(200, 'The account, with its live figures.', account, { ...ACCOUNT, name: 'team-green' }),
    errors: ['not_found', 'model_not_found', 'conflict', 'precondition_failed'],
  },
} satisfies Record<string, OperationDoc>
