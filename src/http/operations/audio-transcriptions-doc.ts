import { Type } from '@sinclair/typebox'
import { fileField } from '../document/file-field.ts'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import type { OperationDoc } from '../document/operation-doc.ts'
import { transcript } from './transcript.ts'

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

/** `POST /audio/transcriptions` for the document. */
export const audioTranscriptionsDoc: OperationDoc = {
  summary: 'Write down what a sound says',
  body: request,
  ...transcript('The text: in JSON, as it stands, or with `stream` as events.', true),
}
