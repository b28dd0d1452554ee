import { jsonBytes, jsonSplice, type Splice } from '../../lib/index.ts'
import type { RequestFacts, RequestPatch } from '../dialect.ts'

/**
 * The caller's bytes with the model's name and, where money demands it, `max_tokens` spliced in, and without the fields that are for the gateway
 * alone. Streams tell their usage unasked.
 */
export function writeRequest({ body, layout }: RequestFacts, { model, outputLimit }: RequestPatch): Uint8Array {
  const splices: Splice[] = []
  const insert = (field: string): void => {
    splices.push({ start: layout.insertAt, end: layout.insertAt, bytes: Buffer.from(`${field},`) })
  }
  if (layout.model === null) insert(`"model":${JSON.stringify(model)}`)
  else splices.push({ ...layout.model, bytes: jsonBytes(model) })
  if (outputLimit !== null) {
    const limit = Buffer.from(String(outputLimit))
    for (const span of layout.outputLimits) splices.push({ ...span, bytes: limit })
    if (layout.outputLimits.length === 0) insert(`"max_tokens":${outputLimit}`)
  }
  if (layout.cuts !== undefined) splices.push(...layout.cuts) // last: what is inserted at a cut comes before it
  return jsonSplice(body, splices)
}
