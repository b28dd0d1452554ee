export interface TimingEntry {
  /** Milliseconds as the server printed them. */
  readonly ms: string
  readonly description: string | null
}

const ENTRY = /([\w-]+);dur=([\d.]+)(?:;desc="([^"]*)")?/g

/** The entries of the `Server-Timing` header that this gateway writes, by name. */
export function serverTiming(header: string): ReadonlyMap<string, TimingEntry> {
  const entries = [...header.matchAll(ENTRY)]
  return new Map(entries.map(([, name = '', ms = '', description]) => [name, { ms, description: description ?? null }]))
}
