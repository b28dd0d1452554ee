import { Type } from '@sinclair/typebox'
import { fileField } from '../document/file-field.ts'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import type { OperationDoc } from '../document/operation-doc.ts'
import { transcript } from './transcript.ts'

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

/** `POST /audio/translations` for the document. */
export const audioTranslationsDoc: OperationDoc = {
  summary: 'Write down in English what a sound says',
  body: request,
  ...transcript('The text: in JSON, or as it stands.', false),
}
