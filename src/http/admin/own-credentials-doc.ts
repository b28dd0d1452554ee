import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields, pageExample } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'

const fault = Type.Object(
  {
    cause: Type.String(),
    reason: fields.orNull(Type.String()),
    since_ms: fields.atMs(),
    until_ms: fields.orNull(fields.atMs(), 'Null: until its secret is changed.'),
  },
  { title: 'CredentialFault', description: 'Why it is not used now: its provider said so.' },
)

const credential = Type.Object(
  {
    id: fields.id('cred_'),
    account_id: fields.id('acc_'),
    provider: Type.String(),
    name: Type.String(),
    base_url: fields.orNull(
      Type.String(),
      "The account's own place that it is used at; null: it is used at the provider's backends.",
    ),
    hint: Type.String({ description: 'The end of its secret, to tell credentials apart.' }),
    enabled: Type.Boolean(),
    fault: fields.orNull(fault),
    created_at_ms: fields.atMs(),
    updated_at_ms: fields.atMs(),
    readable: Type.Boolean({ description: 'Whether it can be opened with the master key that is there.' }),
  },
  { title: 'OwnCredential' },
)

const CREDENTIAL = {
  id: examples.credentialId,
  account_id: examples.accountId,
  provider: examples.provider,
  name: 'ours',
  base_url: null,
  hint: '…4f2a',
  enabled: true,
  fault: null,
  created_at_ms: examples.atMs,
  updated_at_ms: examples.atMs,
  readable: true,
}

const common = { tag: 'Own credentials', access: 'management' } as const

/** `/accounts/{account}/credentials` for the document. */
export const ownCredentialsDoc = {
  create: {
    ...common,
    summary: 'Add a credential that an account brings itself',
    description:
      'Its secret is stored encrypted, and no answer has it. With `base_url` it is used at that place alone, which then serves the models of the provider.',
    once: true,
    tagged: true,
    requests: {
      Credential: { provider: examples.provider, name: 'ours', secret: 'the-secret-of-the-provider' },
      'At a place of its own': {
        provider: examples.provider,
        name: 'elsewhere',
        secret: 'the-secret-of-that-place',
        base_url: 'https://llm.customer.example/v1',
      },
    },
    answer: jsonAnswer(201, 'The credential.', credential, CREDENTIAL),
    errors: ['not_found', 'conflict'],
  },
  list: {
    ...common,
    summary: "List an account's own credentials",
    answer: jsonAnswer(200, 'One page.', fields.page(credential), pageExample(CREDENTIAL)),
    errors: ['invalid_request', 'not_found'],
  },
  show: {
    ...common,
    summary: 'Show an own credential',
    tagged: true,
    answer: jsonAnswer(200, 'The credential.', credential, CREDENTIAL),
    errors: ['not_found'],
  },
  update: {
    ...common,
    summary: 'Change an own credential',
    description: 'What is left out stays as it is. A new secret ends the fault of the old one.',
    tagged: true,
    conditional: true,
    requests: { 'New secret': { secret: 'another-secret-of-the-provider' }, 'Switch off': { enabled: false } },
    answer: jsonAnswer(200, 'The credential, as it is now.', credential, { ...CREDENTIAL, enabled: false }),
    errors: ['not_found', 'conflict'],
  },
  remove: {
    ...common,
    summary: 'Delete an own credential',
    conditional: true,
    answer: jsonAnswer(200, 'It is gone.', Type.Object({ id: fields.id('cred_'), deleted: Type.Literal(true) }), {
      id: examples.credentialId,
      deleted: true,
    }),
    errors: ['not_found'],
  },
} satisfies Record<string, OperationDoc>
