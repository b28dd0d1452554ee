import { Type } from '@sinclair/typebox'
import { FORM_RULES, fileField, IN_A_FORM } from '../document/form-field.ts'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import type { AnswerDoc, OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

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

/** What a sound says. */
export const transcript = openObject('Transcript', {
  text: Type.String(),
  duration: optional(Type.Number({ description: 'Seconds, in `verbose_json`.' })),
  usage: optional(openObject('TranscriptUsage', { type: optional(Type.String()), seconds: optional(Type.Number()) })),
})

/** How transcripts and translations are billed. */
export const SOUND_BILLING =
  'Billed by the tokens or the seconds that the provider reports; by the last time in `srt` and `vtt`. Where nothing is told, by what the file’s size says of its length: exact for WAV. `text` tells nothing: for other files an offer serves prepaid accounts if it is free or has a price per request.'

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
