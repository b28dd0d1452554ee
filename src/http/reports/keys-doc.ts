import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { LIMIT, limitFields } from './key-schema.ts'

const key = Type.Object(
  {
    hash: Type.String({ description: 'SHA-256 of its secret, in hex: what it is called by.' }),
    name: Type.String(),
    label: Type.String({ description: 'How its secret begins.' }),
    key_prefix: Type.String({ description: 'As `label`.' }),
    disabled: Type.Boolean({ description: 'It is refused: for now, or for good.' }),
    active: Type.Boolean(),
    can_reveal: Type.Boolean({ description: 'Never: secrets are not kept.' }),
    ...limitFields,
    created_at: Type.String(),
    updated_at: fields.orNull(Type.String()),
    creator_user_id: fields.orNull(Type.String()),
    external_user: Type.Null(),
    workspace_id: Type.String({ description: 'Id of the account that pays.' }),
  },
  { title: 'ListedKey' },
)

const one = Type.Object({ data: key })

const KEY = {
  hash: examples.keyHash,
  name: 'laptop',
  label: 'sk-ar-v1-Xk3v',
  key_prefix: 'sk-ar-v1-Xk3v',
  disabled: false,
  active: true,
  can_reveal: false,
  ...LIMIT,
  created_at: '2026-09-10T00:26:40.000Z',
  updated_at: null,
  creator_user_id: null,
  external_user: null,
  workspace_id: examples.accountId,
}

const common = { tag: 'Keys', access: 'management' } as const

/** `/keys` for the document. */
export const keysDoc = {
  list: {
    ...common,
    summary: 'List keys, newest first',
    answer: jsonAnswer(200, 'At most 100.', Type.Object({ data: Type.Array(key) }), { data: [KEY] }),
    errors: ['invalid_request', 'not_found'],
  },
  create: {
    ...common,
    summary: 'Make a key',
    once: true,
    requests: {
      Plain: { name: 'laptop', account: 'demo' },
      'With a limit': { name: 'intern', account: 'demo', limit: 5, limit_reset: 'daily' },
    },
    answer: jsonAnswer(
      201,
      'The key, and its secret: shown now and never again.',
      Type.Object({ data: key, key: Type.String() }),
      { data: KEY, key: 'sk-ar-v1-Xk3v…' },
    ),
    errors: ['not_found'],
  },
  show: {
    ...common,
    summary: 'Show a key',
    answer: jsonAnswer(200, 'The key.', one, { data: KEY }),
    errors: ['not_found'],
  },
  update: {
    ...common,
    summary: 'Change a key',
    description: 'What is absent stays. It takes effect on the next request.',
    requests: { Limit: { limit: 10, limit_reset: 'monthly' }, 'No limit': { limit: null }, Name: { name: 'desktop' } },
    answer: jsonAnswer(200, 'The key.', one, { data: KEY }),
    errors: ['not_found', 'conflict'],
  },
  remove: {
    ...common,
    summary: 'Revoke a key, for good',
    answer: jsonAnswer(200, 'It is revoked.', Type.Object({ deleted: Type.Boolean() }), { deleted: true }),
    errors: ['not_found'],
  },
} satisfies Record<string, OperationDoc>
