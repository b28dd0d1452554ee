import { expect, test } from 'bun:test'
import { hoistSchemas, type Json } from '../../../../src/http/document/hoist-schemas.ts'

const hoist = (value: Json): [Json, Record<string, Json>] => {
  const schemas: Record<string, Json> = {}
  return [hoistSchemas(value, schemas), schemas]
}

test('a schema with a title becomes a reference to one definition, however deep and often it stands', () => {
  const inner = { type: 'string', title: 'Inner' }
  const outer = { type: 'object', title: 'Outer', properties: { one: inner, many: { type: 'array', items: inner } } }
  const ref = { $ref: '#/components/schemas/Inner' }
  expect(hoist({ a: outer, b: [inner] })).toEqual([
    { a: { $ref: '#/components/schemas/Outer' }, b: [ref] },
    { Inner: inner, Outer: { ...outer, properties: { one: ref, many: { type: 'array', items: ref } } } },
  ])
})

test('data is left alone, and so is a field that is called title', () => {
  const value = {
    example: { title: 'A book' },
    examples: [{ title: 'A book' }],
    properties: { title: { type: 'string' } },
  }
  expect(hoist(value)).toEqual([value, {}])
})

test('two schemas of one title are a bug', () => {
  expect(() =>
    hoist([
      { title: 'Twice', type: 'string' },
      { title: 'Twice', type: 'number' },
    ]),
  ).toThrow('Twice')
})
