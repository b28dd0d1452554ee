import { Type } from '@sinclair/typebox'
import { fileField } from '../document/file-field.ts'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import type { OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'
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

const inJson = openObject(
  'TranscriptionInJson',
  {
    model: Type.String({ minLength: 1, description: 'Id or alias of a model.' }),
    input_audio: Type.Object({
      data: Type.String({ minLength: 1, description: 'The sound, in base64.' }),
      format: Type.String({ pattern: '^[A-Za-z0-9]{1,16}$', description: '`wav`, `mp3`, `flac`, …' }),
    }),
    language: optional(Type.String()),
    temperature: optional(Type.Number()),
    response_format: optional(Type.String()),
    timestamp_granularities: optional(Type.Array(Type.String())),
  },
  'OpenRouter’s form of it. Providers get the form that says the same.',
)

/** `POST /audio/transcriptions` for the document. */
export const audioTranscriptionsDoc: OperationDoc = {
  summary: 'Write down what a sound says',
  body: request,
  inJson: { body: inJson, example: { model: SAMPLE_MODEL, input_audio: { data: 'UklGRg==', format: 'wav' } } },
  ...transcript('The text: in JSON, as it stands, or with `stream` as events.', true),
}
