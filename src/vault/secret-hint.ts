const HINT_CHARS = 4

/** The last characters of a provider's secret, to tell credentials apart: at most 4, and never more than a quarter of the whole. */
export function secretHint(secret: string): string {
  const shown = Math.min(HINT_CHARS, Math.floor(secret.length / 4))
  return shown === 0 ? '' : secret.slice(-shown)
}
