import { eventText, isRecord } from '../../lib/index.ts'
import { cutText } from '../cut-text.ts'

/** The stream that says the same as a whole transcript: its text in pieces, then the whole with what was used. Segments and words have no events. */
export function transcriptEvents(answer: Uint8Array): Uint8Array {
  const { text, usage } = saidBy(Buffer.from(answer).toString())
  const events = [
    ...cutText(text).map((delta) => ({ type: 'transcript.text.delta', delta })),
    { type: 'transcript.text.done', text, ...(usage === null ? {} : { usage }) },
  ]
  return Buffer.from(events.map(eventText).join(''))
}

/** A transcript may be a text alone. */
function saidBy(answer: string): { readonly text: string; readonly usage: unknown } {
  let whole: unknown = null
  try {
    whole = JSON.parse(answer)
  } catch {
    return { text: answer, usage: null }
  }
  if (!isRecord(whole) || typeof whole.text !== 'string') return { text: answer, usage: null }
  const { text, usage = null, duration } = whole
  return { text, usage: usage ?? (typeof duration === 'number' ? { type: 'duration', seconds: duration } : null) }
}
