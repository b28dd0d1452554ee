import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'

const us = fields.orNull(Type.Integer(), 'Null: it did not happen.')

const call = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('answered'),
      status: Type.Integer(),
      took_us: Type.Integer({ description: 'From nothing to the whole answer.' }),
      timing: Type.Object({
        dns_us: us,
        connect_us: us,
        tls_us: us,
        write_us: us,
        first_byte_us: us,
        connection: Type.String(),
        connection_age_ms: us,
      }),
    },
    { title: 'AnsweredCall' },
  ),
  Type.Object(
    { kind: Type.Literal('unanswered'), reason: Type.String(), message: Type.String() },
    { title: 'UnansweredCall' },
  ),
])

const answered = (
  tookUs: number,
  connection: string,
  way: { connect_us: number | null; connection_age_ms: number },
) => ({
  kind: 'answered',
  status: 200,
  took_us: tookUs,
  timing: { dns_us: null, tls_us: null, write_us: 20, first_byte_us: 20_300, connection, ...way },
})

const common = { tag: 'Backends', access: 'management', errors: ['not_found'] } as const

/** `/backends/{backend}/ping` and `/probe` for the document. */
export const pathDoc = {
  ping: {
    ...common,
    summary: 'Measure the way to a backend',
    description:
      'Sends the request of its pings, which costs no tokens, on a new connection and once more on the same one. Connections in use are left alone.',
    answer: jsonAnswer(
      200,
      'What it took.',
      Type.Object(
        { backend: Type.String(), new: call, kept: fields.orNull(call, 'Null: the first was not answered.') },
        { title: 'PathMeasured' },
      ),
      {
        backend: examples.backend,
        new: answered(20_900, 'new', { connect_us: 310, connection_age_ms: 0 }),
        kept: answered(20_400, 'kept', { connect_us: null, connection_age_ms: 21 }),
      },
    ),
  },
  probe: {
    ...common,
    summary: 'Ask a backend with each credential',
    description: 'The same request with each credential of its provider, or with none where it has none.',
    answer: jsonAnswer(
      200,
      'What it says to each.',
      Type.Object(
        {
          backend: Type.String(),
          credentials: Type.Array(
            Type.Object({
              credential: fields.orNull(Type.String(), 'Its id; null: none was shown.'),
              verdict: Type.Unsafe({
                ...fields.oneOf('accepted', 'denied', 'throttled', 'failing', 'unclear'),
                description: '`unclear`: it answers, but the answer tells nothing of the credential.',
              }),
              status: fields.orNull(Type.Integer()),
              took_us: fields.orNull(Type.Integer()),
              message: fields.orNull(Type.String(), 'Why there was no answer.'),
            }),
          ),
        },
        { title: 'BackendProbed' },
      ),
      {
        backend: examples.backend,
        credentials: [{ credential: 'main', verdict: 'accepted', status: 200, took_us: 20_900, message: null }],
      },
    ),
  },
} satisfies Record<string, OperationDoc>
