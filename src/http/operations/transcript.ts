import { Type } from '@sinclair/typebox'
import { openObject, optional } from '../document/open-object.ts'

/** What a sound says. */
export const transcript = openObject('Transcript', {
  text: Type.String(),
  duration: optional(Type.Number({ description: 'Seconds, in `verbose_json`.' })),
  usage: optional(openObject('TranscriptUsage', { type: optional(Type.String()), seconds: optional(Type.Number()) })),
})

/** How transcripts and translations are billed. */
export const SOUND_BILLING =
  'Billed by the tokens or the seconds that the provider reports; by the last time in `srt` and `vtt`. Where nothing is told, by what the file’s size says of its length: exact for WAV. `text` tells nothing: for other files an offer serves prepaid accounts if it is free or has a price per request.'
