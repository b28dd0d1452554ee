import { Type } from '@sinclair/typebox'
import { FORM_RULES, fileField, IN_A_FORM } from '../document/file-field.ts'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import type { AnswerDoc, OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'
import { SOUND_BILLING, transcript } from './transcript.ts'

const request = openObject(
  'TranslationRequest',
  {
    model: Type.String({ minLength: 1, description: 'Id or alias of a model.' }),
    file: fileField('The sound.'),
    prompt: optional(Type.String()),
    response_format: optional(
      Type.String({ description: '`json` (the default), `verbose_json`, `text`, `srt`, `vtt`.' }),
    ),
  },
  PASSES_ON,
)

const USAGE = { type: 'duration', seconds: 3 }

const answerOf = (usage: object): AnswerDoc => ({
  status: 200,
  description: 'The text: in JSON, or as it stands.',
  timed: true,
  content: {
    'application/json': { schema: transcript, example: { text: 'Hello', usage } },
    'text/plain': { schema: Type.String(), example: 'Hello\n' },
  },
})

/** `POST /audio/translations` for the document. */
export const audioTranslationsDoc: OperationDoc = {
  tag: 'Inference',
  summary: 'Write down in English what a sound says',
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
