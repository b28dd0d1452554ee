import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { RowList } from '../../../src/store/sqlite/row-list.ts'

const values = (row: number): readonly [string, number | null] => [`"${row}"\n`, row % 2 === 0 ? row : null]

test('however many rows there are, and whenever it is asked, the JSON is that of all their values', () => {
  fc.assert(
    fc.property(fc.nat(100), fc.nat(100), (first, second) => {
      const list = new RowList(
        values,
        Array.from({ length: first }, (_, at) => at),
      )
      for (let at = 0; at < second; at++) list.push(first + at)
      if (second % 3 === 0) list.json()
      list.push(-1)
      expect(list.rows.length).toBe(first + second + 1)
      expect(list.json().flatMap((piece) => JSON.parse(piece))).toEqual(list.rows.map(values))
    }),
  )
  expect(new RowList(values).json()).toEqual([])
})

test('rows become JSON as they come, each once', () => {
  let made = 0
  const list = new RowList((row: number) => {
    made++
    return row
  })
  for (let at = 0; at < 31; at++) list.push(at)
  expect(made).toBe(0)
  list.push(31)
  expect(made).toBe(32)
  list.push(32)
  list.json()
  list.json()
  expect(made).toBe(33)
})
