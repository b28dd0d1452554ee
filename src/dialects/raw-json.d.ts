/** In every engine, not yet in TypeScript's library (ECMAScript: JSON.parse source text access). */
interface JSON {
  /** What `JSON.stringify` writes as it stands. Throws `SyntaxError` for what is no number, string, boolean or null. */
  rawJSON(text: string): unknown
  /** Whether it is what `rawJSON` made. */
  isRawJSON(value: unknown): boolean
}
