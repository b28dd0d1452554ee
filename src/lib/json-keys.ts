/** A fixed set of ASCII names, found by their bytes: what a reader asks of every field, without making a string of it. */
export class JsonKeys<Name extends string> {
  readonly #byLength: { readonly name: Name; readonly bytes: Uint8Array }[][] = []

  constructor(names: readonly Name[]) {
    for (const name of names) {
      const bytes = Buffer.from(name)
      const sameLength = this.#byLength[bytes.length] ?? []
      sameLength.push({ name, bytes })
      this.#byLength[bytes.length] = sameLength
    }
  }

  /** The name that stands at `[start, end)`, decoded already; undefined when it is none of the set. */
  find(bytes: Uint8Array, start: number, end: number): Name | undefined {
    const sameLength = this.#byLength[end - start]
    if (sameLength === undefined) return undefined
    for (const candidate of sameLength) {
      if (isAt(candidate.bytes, bytes, start)) return candidate.name
    }
    return undefined
  }
}

function isAt(wanted: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < wanted.length; i++) if (wanted[i] !== bytes[start + i]) return false
  return true
}
