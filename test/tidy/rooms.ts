/** Rooms in layers: a room imports only rooms of lower layers. Rooms of one layer do not know each other. */
const LAYERS: readonly (readonly string[])[] = [
  ['lib'],
  ['domain'],
  ['telemetry', 'vault', 'threads'],
  ['store'],
  ['dialects', 'catalogue', 'accounts', 'agents', 'health', 'ledger', 'records'],
  ['pipeline'],
  ['http', 'jobs', 'site', 'demo', 'config'],
  ['app'],
  ['cli'],
  ['main'],
]

/** Only these import `config`; all others are handed their part of it. */
export const CONFIG_READERS: readonly string[] = ['app', 'cli']

/** The room of a path: a folder of `src`, or `app` and `main`; null outside `src`. */
export function roomOf(path: string): string | null {
  return /^src\/([^/]+?)(?:\/|\.ts$)/.exec(path)?.[1] ?? null
}

/** How high a room stands; null for one that is not in the table. */
export function layerOf(room: string): number | null {
  const layer = LAYERS.findIndex((rooms) => rooms.includes(room))
  return layer < 0 ? null : layer
}

/** All rooms, from the lowest. */
export const ROOMS: readonly string[] = LAYERS.flat()
