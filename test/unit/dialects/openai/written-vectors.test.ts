import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { VectorFormat } from '../../../../src/dialects/dialect.ts'
import { readDocumentFields } from '../../../../src/dialects/openai/read-document-fields.ts'
import { writtenVectors } from '../../../../src/dialects/openai/written-vectors.ts'

const FORM = { lists: ['data'], rows: 'vectors', isPromptOnly: true } as const
const written = (data: unknown, format: VectorFormat | undefined): unknown => {
  const bytes = Buffer.from(JSON.stringify({ data }))
  const made = writtenVectors(bytes, readDocumentFields(bytes, FORM)?.rows ?? [], format)
  return made === null ? null : JSON.parse(Buffer.from(made).toString())
}
const RUNS = { numRuns: Number(process.env.ANYROUTER_RUNS ?? 100) }
const floats = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 })

test('what is as it should be is left alone', () => {
  expect(
    written(
      [
        { index: 0, embedding: [1] },
        { index: 1, embedding: [2] },
      ],
      'float',
    ),
  ).toBeNull()
  expect(written([{ embedding: 'AACAPw==' }], 'base64')).toBeNull()
  expect(written([{ index: 0, embedding: 'AACAPw==' }], undefined)).toBeNull()
  expect(written([], 'float')).toBeNull()
})

test('32-bit floats go to base64 and back, and none of their bits is lost', () => {
  fc.assert(
    fc.property(floats, (numbers) => {
      const packed = written([{ index: 0, embedding: numbers }], 'base64')
      const unpacked = written(packed, 'float')
      expect(unpacked).toEqual([{ index: 0, embedding: numbers.map((number) => number + 0) }])
    }),
    RUNS,
  )
})

test('rows come in the order of their index, whatever order they came in', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 }), (order) => {
      const rows = order.map((index) => ({ index, embedding: [index] }))
      const made = written(rows, 'float') ?? rows
      expect(made).toEqual([...rows].sort((one, other) => one.index - other.index))
    }),
    RUNS,
  )
})

test('what is no vector stays as it is', () => {
  for (const embedding of ['AAA', '', '****'])
    expect(
      written(
        [
          { index: 1, embedding },
          { index: 0, embedding: [1] },
        ],
        'float',
      ),
    ).toEqual([
      { index: 0, embedding: [1] },
      { index: 1, embedding },
    ])
  const nested = [{ index: 0, embedding: [[1], [2]] }]
  expect(written(nested, 'base64')).toEqual(nested)
})
