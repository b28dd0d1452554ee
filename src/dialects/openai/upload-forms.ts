import type { OperationName } from '../../domain/index.ts'
import { JsonKeys } from '../../lib/index.ts'
import type { RequestFacts } from '../dialect.ts'
import { type OperationForm, type RequestSeen, requestForm } from './operation-form.ts'
import { picturesAsked } from './pictures-asked.ts'
import { IMAGE_UNITS } from './read-media.ts'
import { soundMs } from './sound-ms.ts'

const audioTranscriptions: OperationForm = {
  path: '/audio/transcriptions',
  answer: 'transcript',
  isForm: true,
  events: {
    content: new JsonKeys(['transcript.text.delta', 'transcript.text.segment', 'transcript.text.done']),
    ends: new JsonKeys(['transcript.text.done']),
  },
  request: requestForm({
    fields: { model: 'model', file: 'file', prompt: 'text', response_format: 'word', stream: 'stream' },
    required: ['model', 'file'],
    facts: transcriptFacts,
  }),
}

const audioTranslations: OperationForm = {
  path: '/audio/translations',
  answer: 'transcript',
  isForm: true,
  request: requestForm({
    fields: { model: 'model', file: 'file', prompt: 'text', response_format: 'word' },
    required: ['model', 'file'],
    facts: transcriptFacts,
  }),
}

/** Answers that are no JSON. Times of what is said stand in `srt` and `vtt`, and say how long it is; `text` tells nothing. */
const TEXT_FORMATS: ReadonlySet<unknown> = new Set(['text', 'srt', 'vtt'])
const TOKENS_PER_SECOND = 10 // of sound, as in messages
const OUTPUT_TOKENS_PER_SECOND = 6 // fast speech
const OUTPUT_TOKENS_MIN = 64

/** The length of a sound is known from its file alone, and so is what it may cost. */
function transcriptFacts({ words, files = [], isWhole = true }: RequestSeen): Partial<RequestFacts> {
  const [file] = files
  const { ms, isExact } = file === undefined ? NO_SOUND : soundMs(file)
  const seconds = Math.ceil(ms / 1000)
  const format = words.get('response_format')
  const isText = TEXT_FORMATS.has(format)
  const tellsLength = format !== 'text' || isExact
  const pricedBy = tellsLength ? (['perRequest', 'perAudioHour'] as const) : (['perRequest'] as const)
  return {
    outputLimit: OUTPUT_TOKENS_MIN + seconds * OUTPUT_TOKENS_PER_SECOND,
    promptMediaUnits: seconds * TOKENS_PER_SECOND,
    asked: { audioMs: ms },
    ...(isText ? { textual: 'always', pricedBy } : {}),
    ...(format === undefined && !isWhole ? { textual: 'maybe' } : {}),
  }
}

const NO_SOUND = { ms: 0, isExact: false }

/** The files are pictures that the model reads. */
const picturesFromFiles = (seen: RequestSeen): Partial<RequestFacts> => ({
  ...picturesAsked(seen),
  promptMediaUnits: (seen.files?.length ?? 0) * IMAGE_UNITS,
})

const imagesEdits: OperationForm = {
  path: '/images/edits',
  answer: { lists: ['data'], rows: 'pictures', isPromptOnly: false },
  isForm: true,
  events: {
    content: new JsonKeys(['image_edit.partial_image', 'image_edit.completed']),
    ends: new JsonKeys(['image_edit.completed']),
    arePictures: true,
  },
  request: requestForm({
    fields: {
      model: 'model',
      image: 'file',
      'image[]': 'file',
      mask: 'file',
      prompt: 'input',
      n: 'choices',
      stream: 'stream',
      quality: 'word',
      partial_images: 'word',
    },
    required: ['model', 'prompt'],
    facts: picturesFromFiles,
  }),
}

const imagesVariations: OperationForm = {
  path: '/images/variations',
  answer: { lists: ['data'], rows: 'pictures', isPromptOnly: false },
  isForm: true,
  request: requestForm({
    fields: { model: 'model', image: 'file', n: 'choices' },
    required: ['image'],
    defaultModel: 'dall-e-2',
    facts: picturesFromFiles,
  }),
}

/** Operations that are asked in forms, with files in them. */
export const uploadForms: readonly (readonly [OperationName, OperationForm])[] = [
  ['audio.transcriptions', audioTranscriptions],
  ['audio.translations', audioTranslations],
  ['images.edits', imagesEdits],
  ['images.variations', imagesVariations],
]
