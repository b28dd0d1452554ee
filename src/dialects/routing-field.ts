import type { ReplyStamp } from './surface.ts'

/** The field of an answer that tells how its request was routed, with the comma before it; empty where nobody asked. */
export const routingField = ({ routing }: Pick<ReplyStamp, 'routing'>): string =>
  routing === undefined ? '' : `,"openrouter_metadata":${routing()}`
