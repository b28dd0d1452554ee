import { run } from '../../pipeline/index.ts'
import { audioTranscriptionsDoc } from './audio-transcriptions-doc.ts'
import type { Operation } from './operation.ts'

/** `POST /audio/transcriptions`. */
export const audioTranscriptions: Operation = {
  name: 'audio.transcriptions',
  method: 'POST',
  path: '/audio/transcriptions',
  doc: audioTranscriptionsDoc,
  serve: run,
}
