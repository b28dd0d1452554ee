/**
 * The text without anything that looks like a secret: providers quote the key they refuse, sometimes whole. What is struck
 * out reads `[redacted]`.
 */
export function redacted(text: string): string {
  return text.replace(BEARER, '$1 [redacted]').replace(NAMED_KEY, '[redacted]').replace(LONG_TOKEN, '[redacted]')
}

const BEARER = /\b(bearer|basic)\s+[^\s"',;]{4,}/gi
/** By the prefixes that providers give their keys; the middle may be masked with stars already. */
const NAMED_KEY = /\b(?:sk|pk|rk|ak|gsk|xai|pplx|nvapi|hf|r8|tgp|fw|csk|key)[-_][\w*.…-]{6,}|\bAIza[\w-]{10,}/g
/** Letters and digits without a break, and both among them: no word, no model's name. */
const LONG_TOKEN = /\b(?=\w*\d)(?=\w*[A-Za-z])\w{32,}/g
