/** What of a request decides how many tokens its prompt has. */
export interface PromptFacts {
  /** UTF-8 bytes of what the model will read as text; never base64. */
  readonly promptTextBytes: number
  /** Tokens reckoned for images, audio and files. */
  readonly promptMediaUnits: number
}

/** Tokens of a prompt, estimated: text bytes / bytes per token, rounded up, and the media's tokens. */
export const promptUnits = (facts: PromptFacts, bytesPerToken: number): number =>
  Math.ceil(facts.promptTextBytes / bytesPerToken) + facts.promptMediaUnits

/** Tokens of delivered text, estimated: bytes / bytes per token, rounded up. */
export const outputUnits = (textBytes: number, bytesPerToken: number): number => Math.ceil(textBytes / bytesPerToken)
