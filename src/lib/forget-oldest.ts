/** Takes from a map what was put there first, until no more than `sizeMax` is left. */
export function forgetOldest(map: Map<unknown, unknown>, sizeMax: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= sizeMax) return
    map.delete(oldest)
  }
}
