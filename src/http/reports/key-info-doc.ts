import { Type } from '@sinclair/typebox'
import { fields } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { LIMIT, limitFields } from './key-schema.ts'

const info = Type.Object(
  {
    data: Type.Object({
      label: Type.String({ description: 'How its secret begins.' }),
      name: Type.String(),
      ...limitFields,
      is_free_tier: Type.Boolean({ description: 'Nothing was ever paid into its prepaid account.' }),
      is_management_key: Type.Boolean(),
      is_provisioning_key: Type.Boolean({ description: 'As `is_management_key`.' }),
      creator_user_id: fields.orNull(Type.String()),
      rate_limit: Type.Object({
        requests: Type.Integer({ description: 'Of the interval; -1: not limited.' }),
        interval: Type.String(),
        note: Type.String(),
      }),
      free_model_daily_requests: Type.Object(
        { limit: Type.Integer(), remaining: Type.Integer(), used: Type.Integer() },
        { description: 'Always -1, -1 and 0: there is no such limit, and nothing is counted for it.' },
      ),
      allowed_data_regions: Type.Array(Type.String(), {
        description: 'Always empty: where data may go is told by policies.',
      }),
      organization_id: fields.orNull(Type.String(), 'Always null.'),
      workspace_id: fields.orNull(Type.String(), 'Its account; null for a management key.'),
    }),
  },
  { title: 'KeyInfo' },
)

/** `/key` for the document. */
export const keyInfoDoc: OperationDoc = {
  tag: 'Keys',
  access: 'key',
  summary: 'Tell what this key may do and what it spent',
  answer: jsonAnswer(200, 'The key that asks.', info, {
    data: {
      label: 'sk-ar-v1-Xk3v',
      name: 'laptop',
      ...LIMIT,
      is_free_tier: false,
      is_management_key: false,
      is_provisioning_key: false,
      creator_user_id: null,
      rate_limit: { requests: 600, interval: '1m', note: 'requests per minute; -1: not limited' },
      free_model_daily_requests: { limit: -1, remaining: -1, used: 0 },
      allowed_data_regions: [],
      organization_id: null,
      workspace_id: 'acc_01a22ca46a147e9597aec875c03c6db5',
    },
  }),
  errors: ['insufficient_scope'],
}
