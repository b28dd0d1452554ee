import { JsonError, JsonKeys, JsonReader, jsonBytes, jsonSplice } from '../../lib/index.ts'

/** A document with this name in place of its `model`, and all else as it came; null when it is no JSON object. */
export function renamedModel(document: Uint8Array, model: string | null): Uint8Array | null {
  const reader = new JsonReader(document)
  try {
    if (reader.peek() !== 'object') return null
    let span: { start: number; end: number } | null = null
    reader.enter()
    while (reader.nextKey()) {
      const isModel = reader.key(MODEL) !== undefined && reader.peek() === 'string'
      reader.skip()
      if (isModel) span = { start: reader.valueStart, end: reader.valueEnd }
    }
    reader.finish()
    if (span === null || model === null) return document
    return jsonSplice(document, [{ ...span, bytes: jsonBytes(model) }])
  } catch (error) {
    if (error instanceof JsonError) return null
    throw error
  }
}

const MODEL = new JsonKeys(['model'])
