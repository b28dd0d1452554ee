import { run } from '../../pipeline/index.ts'
import { audioTranslationsDoc } from './audio-translations-doc.ts'
import type { Operation } from './operation.ts'

/** `POST /audio/translations`. */
export const audioTranslations: Operation = {
  name: 'audio.translations',
  method: 'POST',
  path: '/audio/translations',
  doc: audioTranslationsDoc,
  serve: run,
}
