import type { Call } from '../call.ts'
import { explanationOf } from '../explanation.ts'
import { formatServerTiming, type Timing } from '../timing.ts'

/** The comment before the end of a stream whose head went out too early to tell: its times, and its explanation. Empty when nobody asked. */
export function closingComment(call: Call, timing: Timing): Uint8Array {
  const { explain, settings } = call
  if (explain === null && !settings.replies.timingComment) return NOTHING
  const lines = [`: server-timing ${formatServerTiming(timing, settings.replies.hideBackends)}`]
  if (explain !== null) lines.push(`: x-anyrouter-explain ${explanationOf(call, explain)}`)
  return Buffer.from(`${lines.join('\n')}\n\n`)
}

const NOTHING = new Uint8Array(0)
