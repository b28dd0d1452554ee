import { expect, test } from 'bun:test'
import { jsonCut } from '../../../src/lib/json-cut.ts'
import { JsonReader } from '../../../src/lib/json-reader.ts'
import { jsonSplice } from '../../../src/lib/json-splice.ts'

/** The text without the fields of these names. */
function without(text: string, ...names: string[]): string {
  const bytes = Buffer.from(text)
  const reader = new JsonReader(bytes)
  const fields: { start: number; end: number }[] = []
  reader.peek()
  reader.enter()
  while (reader.nextKey()) {
    const start = reader.keyStart
    const name = reader.keyText()
    reader.skip()
    if (names.includes(name)) fields.push({ start, end: reader.valueEnd })
  }
  return Buffer.from(jsonSplice(bytes, jsonCut(bytes, fields))).toString()
}

test.each([
  ['{"a":1,"b":2,"c":3}', ['a'], '{"b":2,"c":3}'],
  ['{"a":1,"b":2,"c":3}', ['b'], '{"a":1,"c":3}'],
  ['{"a":1,"b":2,"c":3}', ['c'], '{"a":1,"b":2}'],
  ['{"a":1,"b":2,"c":3}', ['a', 'b'], '{"c":3}'],
  ['{"a":1,"b":2,"c":3}', ['b', 'c'], '{"a":1}'],
  ['{"a":1,"b":2,"c":3}', ['a', 'c'], '{"b":2}'],
  ['{"a":1,"b":2,"c":3}', ['a', 'b', 'c'], '{}'],
  ['{"a":1,"b":2,"c":3}', [], '{"a":1,"b":2,"c":3}'],
  [' { "a" : [1,2] , "b":"x,y" ,\n"c" : {} } ', ['b'], ' { "a" : [1,2] , \n"c" : {} } '],
  [' { "a" : [1,2] , "b":"x,y" ,\n"c" : {} } ', ['c'], ' { "a" : [1,2] , "b":"x,y"  } '],
  [' { "a" : [1,2] , "b":"x,y" ,\n"c" : {} } ', ['b', 'c'], ' { "a" : [1,2]  } '],
])('%s without %j', (text, names, expected) => {
  expect(without(text, ...names)).toBe(expected)
})
