export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'true' | 'false' | 'null'

/** The kind of a value by its first byte; undefined where none begins so. */
export const JSON_KINDS: readonly (JsonKind | undefined)[] = kindsByByte()

function kindsByByte(): (JsonKind | undefined)[] {
  const kinds: (JsonKind | undefined)[] = new Array(256).fill(undefined)
  const set = (bytes: string, kind: JsonKind): void => {
    for (const byte of bytes) kinds[byte.charCodeAt(0)] = kind
  }
  set('{', 'object')
  set('[', 'array')
  set('"', 'string')
  set('-0123456789', 'number')
  set('t', 'true')
  set('f', 'false')
  set('n', 'null')
  return kinds
}
