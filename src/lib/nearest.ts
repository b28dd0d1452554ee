const CHARS_COMPARED_MAX = 100 // bounds the work for a name of any length

/**
 * The names that look most like `wanted`, nearest first, at most `count`; only those near enough to be a slip of the pen
 * (a third of the longer name, at least 2 edits, and never a whole name). Capitals do not count as a difference.
 */
export function nearest(wanted: string, names: Iterable<string>, count: number): string[] {
  const near: { name: string; edits: number }[] = []
  for (const name of names) {
    const length = Math.max(wanted.length, name.length)
    const editsMax = Math.min(Math.max(2, Math.floor(length / 3)), length - 1)
    if (length > CHARS_COMPARED_MAX || Math.abs(wanted.length - name.length) > editsMax) continue
    const edits = editDistance(wanted.toLowerCase(), name.toLowerCase())
    if (edits <= editsMax) near.push({ name, edits })
  }
  near.sort((one, other) => one.edits - other.edits || (one.name < other.name ? -1 : 1))
  return near.slice(0, count).map(({ name }) => name)
}

/** Insertions, deletions, changes and swaps of neighbours between two texts ("optimal string alignment"). */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let at = 1; at <= to.length; at++) {
      const change = from[row - 1] === to[at - 1] ? 0 : 1
      let edits = Math.min((last[at] ?? 0) + 1, (current[at - 1] ?? 0) + 1, (last[at - 1] ?? 0) + change)
      const swapped = row > 1 && at > 1 && from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1]
      if (swapped) edits = Math.min(edits, (beforeLast[at - 2] ?? 0) + 1)
      current.push(edits)
    }
    beforeLast = last
    last = current
  }
  return last[to.length] ?? 0
}
