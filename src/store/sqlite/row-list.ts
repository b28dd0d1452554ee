const WRITTEN_AT_ONCE = 32

/** Rows on their way to the writer thread. They become JSON some at a time, as they come: a long list at once would hold up the event loop. */
export class RowList<Row> {
  readonly rows: Row[]
  readonly #valuesOf: (row: Row) => unknown
  readonly #pieces: string[] = []
  #written = 0

  constructor(valuesOf: (row: Row) => unknown, rows: Row[] = []) {
    this.rows = rows
    this.#valuesOf = valuesOf
  }

  push(row: Row): void {
    if (this.rows.push(row) - this.#written >= WRITTEN_AT_ONCE) this.#write()
  }

  /** JSON arrays that together have each row's values. */
  json(): readonly string[] {
    if (this.#written < this.rows.length) this.#write()
    return this.#pieces
  }

  #write(): void {
    this.#pieces.push(JSON.stringify(this.rows.slice(this.#written).map(this.#valuesOf)))
    this.#written = this.rows.length
  }
}
