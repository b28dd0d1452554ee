import { run } from '../../pipeline/index.ts'
import { audioSpeechDoc } from './audio-speech-doc.ts'
import type { Operation } from './operation.ts'

/** `POST /audio/speech`. */
export const audioSpeech: Operation = {
  name: 'audio.speech',
  method: 'POST',
  path: '/audio/speech',
  doc: audioSpeechDoc,
  serve: run,
}
