import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields, pageExample } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'

const properties = {
  id: fields.id('mkey_'),
  name: Type.String(),
  prefix: Type.String({ description: 'How the secret begins, to tell keys apart.' }),
  scopes: Type.Array(fields.oneOf('read', 'write', 'credits')),
  state: fields.oneOf('active', 'expired', 'revoked'),
  created_at_ms: fields.atMs(),
  expires_at_ms: fields.orNull(fields.atMs(), 'Null: never.'),
  revoked_at_ms: fields.orNull(fields.atMs()),
}

const key = Type.Object(properties, { title: 'ManagementKey' })
const newKey = Type.Object(
  { ...properties, secret: Type.String({ description: 'Shown now and never again.' }) },
  { title: 'NewManagementKey' },
)

const KEY = {
  id: examples.managementKeyId,
  name: 'dashboard',
  prefix: 'ak_Xk3v',
  scopes: ['read'],
  state: 'active',
  created_at_ms: examples.atMs,
  expires_at_ms: null,
  revoked_at_ms: null,
}

const common = { tag: 'Management keys', access: 'management' } as const

/** `/management-keys` for the document. */
export const managementKeysDoc = {
  create: {
    ...common,
    summary: 'Make a management key',
    description: 'It can have no scope that the caller has not.',
    once: true,
    tagged: true,
    requests: {
      'Only looks': { name: 'dashboard', scopes: ['read'] },
      'For a time': { name: 'billing', scopes: ['read', 'credits'], expires_at_ms: 4_102_444_800_000 },
    },
    answer: jsonAnswer(201, 'The key with its secret.', newKey, { ...KEY, secret: 'ak_Xk3v…' }),
  },
  list: {
    ...common,
    summary: 'List management keys',
    answer: jsonAnswer(200, 'One page.', fields.page(key), pageExample(KEY)),
    errors: ['invalid_request'],
  },
  show: {
    ...common,
    summary: 'Show a management key',
    tagged: true,
    answer: jsonAnswer(200, 'The key.', key, KEY),
    errors: ['not_found'],
  },
  revoke: {
    ...common,
    summary: 'Revoke a management key, for good',
    tagged: true,
    conditional: true,
    answer: jsonAnswer(200, 'The key.', key, { ...KEY, state: 'revoked', revoked_at_ms: examples.atMs }),
    errors: ['not_found'],
  },
} satisfies Record<string, OperationDoc>
