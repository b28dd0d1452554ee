import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields, pageExample } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

const properties = {
  id: fields.id('key_'),
  account_id: fields.id('acc_'),
  name: Type.String(),
  prefix: Type.String({ description: 'How the secret begins, to tell keys apart.' }),
  models: fields.orNull(Type.Array(Type.String()), 'Ids of the models it may use; null: all.'),
  revoked: Type.Boolean(),
}

const key = Type.Object(properties, { title: 'Key' })
const newKey = Type.Object(
  { ...properties, secret: Type.String({ description: 'Shown now and never again.' }) },
  { title: 'NewKey' },
)

const KEY = {
  id: examples.keyId,
  account_id: examples.accountId,
  name: 'laptop',
  prefix: 'sk-ar-v1-Xk3v…',
  models: null,
  revoked: false,
}

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
  revoke: {
    ...common,
    summary: 'Revoke a key, for good',
    description: 'The next request with it is refused. Those in progress end as they would.',
    answer: jsonAnswer(200, 'The key.', key, { ...KEY, revoked: true }),
    errors: ['not_found'],
  },
} satisfies Record<string, OperationDoc>
