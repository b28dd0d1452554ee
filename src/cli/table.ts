interface Column {
  readonly name: string
  /** Numbers stand at the right edge of their column. */
  readonly right?: boolean
}

const GAP = '  '

/** Rows as aligned text under a line of names, without trailing spaces; one line says so when there are none. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], whenEmpty: string): string {
  if (rows.length === 0) return `${whenEmpty}\n`
  const widths = columns.map(({ name }, at) => Math.max(width(name), ...rows.map((row) => width(row[at] ?? ''))))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => padded(cell, widths[at] ?? 0, columns[at]?.right === true))
      .join(GAP)
      .trimEnd()
  return [columns.map(({ name }) => name.toUpperCase()), ...rows].map((cells) => `${line(cells)}\n`).join('')
}

/** One thing as lines of a name and its value. */
export function fields(pairs: readonly (readonly [name: string, value: string])[]): string {
  const widest = Math.max(...pairs.map(([name]) => width(name)))
  return pairs.map(([name, value]) => `${`${padded(name, widest, false)}${GAP}${value}`.trimEnd()}\n`).join('')
}

/** What a cell shows of a text that others chose: without control characters, which would move the cursor or change colours. */
export const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?')

const width = (text: string): number => Bun.stringWidth(text)

function padded(cell: string, size: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, size - width(cell)))
  return right ? `${space}${cell}` : `${cell}${space}`
}
