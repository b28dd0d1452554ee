import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'
import { usageSchema } from './shared-schema.ts'

const timing = Type.Object(
  {
    gw_us: Type.Integer({ description: 'The gateway, in microseconds.' }),
    upstream_us: Type.Integer({ description: 'The provider.' }),
    post_us: Type.Integer({ description: 'The rest: gw + upstream + post = total.' }),
    total_us: Type.Integer({ description: 'Until the answer began.' }),
    ended_us: Type.Integer({ description: 'Until it ended.' }),
  },
  { title: 'SmokeTiming' },
)

const probe = Type.Object(
  {
    kind: fields.oneOf('plain', 'stream', 'hang_up', 'several'),
    ok: Type.Boolean({ description: 'It ended as it should.' }),
    request_id: fields.orNull(fields.id('req_')),
    status: fields.orNull(Type.Integer(), 'Of the answer.'),
    outcome: fields.orNull(Type.String(), 'How the last attempt ended; `cancelled` is right for `hang_up`.'),
    connection: fields.orNull(fields.oneOf('new', 'kept', 'resent', 'unsent')),
    timing: fields.orNull(timing),
    usage: fields.orNull(usageSchema),
    cost_usd: fields.orNull(Type.String(), 'At the price of accounts, in decimal dollars; 0 without a price.'),
    cost_nano: fields.orNull(Type.Integer(), 'The same in nano-dollars.'),
    message: Type.String({ description: 'For people.' }),
    advice: fields.orNull(Type.String(), 'What to do about it.'),
  },
  { title: 'SmokeProbe' },
)

const report = Type.Object(
  {
    backend: Type.String(),
    model: fields.orNull(Type.String(), 'Null: it offers none.'),
    ok: Type.Boolean({ description: 'Every request ended as it should.' }),
    probes: Type.Array(probe),
  },
  { title: 'SmokeReport' },
)

/** `/backends/{backend}/smoke` for the document. */
export const smokeDoc = {
  run: {
    tag: 'Backends',
    access: 'management',
    summary: 'Send small real requests to a backend',
    description:
      'Plain, streamed, left in mid-stream, and four at once, through the same steps as any request, with no other backend to fall back to. ' +
      'The account `smoke` pays; it is made, unmetered, when it is not there.',
    requests: { 'Its cheapest model': {}, 'A model': { model: SAMPLE_MODEL } },
    answer: jsonAnswer(200, 'What came of them, well or not.', report, {
      backend: examples.backend,
      model: SAMPLE_MODEL,
      ok: true,
      probes: [
        {
          kind: 'plain',
          ok: true,
          request_id: examples.requestId,
          status: 200,
          outcome: 'succeeded',
          connection: 'new',
          timing: { gw_us: 250, upstream_us: 21_370, post_us: 120, total_us: 21_740, ended_us: 21_760 },
          usage: examples.usage,
          ...examples.cost,
          message: 'answered',
          advice: null,
        },
      ],
    }),
    errors: ['not_found', 'invalid_request'],
  },
} satisfies Record<string, OperationDoc>
