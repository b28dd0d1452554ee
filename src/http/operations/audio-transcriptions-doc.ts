import { Type } from '@sinclair/typebox'
import { FORM_RULES, fileField, IN_A_FORM } from '../document/file-field.ts'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import type { AnswerDoc, OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'
import { SOUND_BILLING, transcript } from './transcript.ts'

const request = openObject(
  'TranscriptionRequest',
  {
    model: Type.String({ minLength: 1, description: 'Id or alias of a model.' }),
    file: fileField('The sound.'),
    prompt: optional(Type.String()),
    language: optional(Type.String()),
    response_format: optional(
      Type.String({
        description: '`json` (the default), `verbose_json`, `text`, `srt`, `vtt`: the provider’s to know.',
      }),
    ),
    stream: optional(Type.Boolean({ description: 'The text as events, as it is understood.' })),
  },
  PASSES_ON,
)

const USAGE = { type: 'duration', seconds: 3 }
const EVENTS = [
  { type: 'transcript.text.delta', delta: 'Hello' },
  { type: 'transcript.text.done', text: 'Hello' },
]

const answerOf = (usage: object): AnswerDoc => ({
  status: 200,
  description: 'The text: in JSON, as it stands, or with `stream` as events.',
  timed: true,
  content: {
    'application/json': { schema: transcript, example: { text: 'Hello', usage } },
    'text/plain': { schema: Type.String(), example: 'Hello\n' },
    'text/event-stream': {
      schema: Type.String({ description: 'Events `transcript.text.delta`, then `transcript.text.done`.' }),
      example: EVENTS.map(
        (event) =>
          `event: ${event.type}\ndata: ${JSON.stringify({ ...event, ...('text' in event ? { usage } : {}) })}\n\n`,
      ).join(''),
    },
  },
})

/** `POST /audio/transcriptions` for the document. */
export const audioTranscriptionsDoc: OperationDoc = {
  tag: 'Inference',
  summary: 'Write down what a sound says',
  description: `${SOUND_BILLING} ${FORM_RULES}`,
  access: 'key',
  body: request,
  requests: { Plain: { model: SAMPLE_MODEL, file: '' } },
  ...IN_A_FORM,
  answer: answerOf(USAGE),
  openrouterAnswer: answerOf({ ...USAGE, is_byok: false, cost: 0.0003 }),
  errors: ['duplicate_field'],
  routed: true,
}
