import { Type } from '@sinclair/typebox'
import { eventText } from '../../lib/index.ts'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import type { OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

const request = openObject(
  'SpeechRequest',
  {
    model: Type.String({ minLength: 1, description: 'Id or alias of a model.' }),
    input: Type.String({ description: 'What is to be spoken.' }),
    voice: optional(Type.Unknown()),
    instructions: optional(Type.String()),
    response_format: optional(
      Type.String({ description: '`mp3`, `opus`, `aac`, `flac`, `wav`, `pcm`: the provider’s to know.' }),
    ),
    stream_format: optional(
      Type.String({ description: '`audio` (the default): the bytes of the sound. `sse`: events.' }),
    ),
  },
  PASSES_ON,
)

const EVENTS = [
  { type: 'speech.audio.delta', audio: 'UklGRg==' },
  { type: 'speech.audio.done', usage: { input_tokens: 1, output_tokens: 9, total_tokens: 10 } },
]

const speech = { model: SAMPLE_MODEL, input: 'Hello', voice: 'alloy', response_format: 'wav' }

/** `POST /audio/speech` for the document. */
export const audioSpeechDoc: OperationDoc = {
  tag: 'Inference',
  summary: 'Speak a text',
  description:
    'The sound is passed on as it comes. Bytes tell no usage: an offer serves prepaid accounts if it is free, or has a price per million characters or per request. A sound that breaks off ends with a broken connection; events end with an error event.',
  access: 'key',
  body: request,
  requests: { Sound: speech, Events: { ...speech, stream_format: 'sse' } },
  answer: {
    status: 200,
    description: 'The sound, in the provider’s content type, or events.',
    content: {
      'audio/wav': { schema: Type.String({ format: 'binary' }), example: '' },
      'text/event-stream': {
        schema: Type.String({ description: 'Events `speech.audio.delta`, then `speech.audio.done`.' }),
        example: EVENTS.map(eventText).join(''),
      },
    },
  },
  routed: true,
}
