import { isRecord } from '../lib/index.ts'

/**
 * Reads JSON so that writing it again gives every number digit for digit: to be passed on, never to be reckoned with. Those that JavaScript would write
 * otherwise (`1.0`, or beyond 2^53) are objects that only `JSON.stringify` knows: what has fields is asked of `isFields`. Throws `SyntaxError`.
 */
export const parseLossless = (text: string): unknown =>
  JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source
    return typeof value !== 'number' || source === undefined || String(value) === source ? value : JSON.rawJSON(source)
  })

/** Whether a value that was read so is an object with fields. */
export const isFields = (value: unknown): value is Record<string, unknown> => isRecord(value) && !JSON.isRawJSON(value)
