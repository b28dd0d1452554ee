import { JsonKeys, type JsonReader } from '../../lib/index.ts'
import type { StoredName } from '../dialect.ts'

const FIELDS = new JsonKeys(['file_id', 'file_ids', 'container', 'container_id', 'parameters', 'input_schema'])

/**
 * Reads over the next value and adds what it names of things that a provider keeps, however deep: files, and the containers in which
 * code ran. What a schema describes names nothing. `place`: what leads there, as errors tell it.
 */
export function readKeptNames(reader: JsonReader, place: string, names: StoredName[]): void {
  const kind = reader.peek()
  if (kind === 'array') {
    reader.enter()
    for (let at = 0; reader.nextItem(); at++) readKeptNames(reader, `${place}[${at}]`, names)
  } else if (kind === 'object') {
    reader.enter()
    while (reader.nextKey()) readField(reader, place, names)
  } else reader.skip()
}

function readField(reader: JsonReader, place: string, names: StoredName[]): void {
  const field = reader.key(FIELDS)
  if (field === 'parameters' || field === 'input_schema') {
    reader.skip()
    return
  }
  const param = `${place}.${field ?? reader.keyText()}`
  const kind = reader.peek()
  if (field === 'file_ids' && kind === 'array') {
    reader.enter()
    for (let at = 0; reader.nextItem(); at++) {
      const isId = reader.peek() === 'string'
      reader.skip()
      if (isId) names.push({ kind: 'file', id: String(reader.value()), param: `${param}[${at}]` })
    }
  } else if (field !== undefined && kind === 'string') {
    reader.skip()
    names.push({ kind: field === 'file_id' ? 'file' : 'item', id: String(reader.value()), param })
  } else readKeptNames(reader, param, names)
}
