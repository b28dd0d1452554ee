import { Type } from '@sinclair/typebox'
import { eventText } from '../../lib/index.ts'
import { FORM_RULES, IN_A_FORM } from '../document/file-field.ts'
import { openObject, optional } from '../document/open-object.ts'
import type { AnswerDoc, OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

/** What is the same of all operations that write down a sound; `streamed`: the text may come as events. */
export const transcript = (description: string, streamed: boolean): Omit<OperationDoc, 'summary' | 'body'> => ({
  tag: 'Inference',
  description: `${SOUND_BILLING} ${FORM_RULES}`,
  access: 'key',
  requests: { Plain: { model: SAMPLE_MODEL, file: '' } },
  ...IN_A_FORM,
  answer: answerOf(description, streamed, USAGE),
  openrouterAnswer: answerOf(description, streamed, { ...USAGE, is_byok: false, cost: 0.0003 }),
  errors: ['duplicate_field'],
  routed: true,
})

const answerOf = (description: string, streamed: boolean, usage: object): AnswerDoc => ({
  status: 200,
  description,
  content: {
    'application/json': { schema: said, example: { text: 'Hello', usage } },
    'text/plain': { schema: Type.String(), example: 'Hello\n' },
    ...(streamed ? { 'text/event-stream': eventsOf(usage) } : {}),
  },
})

const eventsOf = (usage: object) => {
  const done = { type: 'transcript.text.done', text: 'Hello', usage }
  return {
    schema: Type.String({ description: 'Events `transcript.text.delta`, then `transcript.text.done`.' }),
    example: [DELTA, done].map(eventText).join(''),
  }
}

const DELTA = { type: 'transcript.text.delta', delta: 'Hello' }
const USAGE = { type: 'duration', seconds: 3 }

const said = openObject('Transcript', {
  text: Type.String(),
  duration: optional(Type.Number({ description: 'Seconds, in `verbose_json`.' })),
  usage: optional(openObject('TranscriptUsage', { type: optional(Type.String()), seconds: optional(Type.Number()) })),
})

const SOUND_BILLING =
  'Billed by the tokens or the seconds that the provider reports; by the last time in `srt` and `vtt`. Where nothing is told, by what the file’s size says of its length: exact for WAV. `text` tells nothing: for other files an offer serves prepaid accounts if it is free or has a price per request.'
