import { expect, test } from 'bun:test'
import type { StoredName } from '../../../../src/dialects/index.ts'
import { readKeptNames } from '../../../../src/dialects/openai/read-kept-names.ts'
import { JsonReader } from '../../../../src/lib/index.ts'

function namesIn(json: string): string[] {
  const names: StoredName[] = []
  const reader = new JsonReader(Buffer.from(json))
  readKeptNames(reader, 'tools', names)
  reader.finish()
  return names.map(({ kind, id, param }) => `${kind} ${id} ${param}`)
}

test.each([
  ['a file', '[{"file_id":"f"}]', ['file f tools[0].file_id']],
  [
    'several, deep',
    '[1,{"a":{"file_ids":["f",2,"g"]}}]',
    ['file f tools[1].a.file_ids[0]', 'file g tools[1].a.file_ids[2]'],
  ],
  ['a container', '[{"container":"c"}]', ['item c tools[0].container']],
  ['one that is to be made', '[{"container":{"type":"auto"}}]', []],
  ['one below another name', '[{"environment":{"container_id":"c"}}]', ['item c tools[0].environment.container_id']],
  ['a name with escapes', String.raw`[{"file\u005fid":"f"}]`, ['file f tools[0].file_id']],
  ['what a schema describes', '[{"parameters":{"file_id":"f"}},{"input_schema":{"container":"c"}}]', []],
  ['nothing', '"file_id"', []],
])('%s', (_name, json, names) => expect(namesIn(json)).toEqual(names))
