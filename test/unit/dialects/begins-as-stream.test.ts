import { expect, test } from 'bun:test'
import { beginsAsStream } from '../../../src/dialects/begins-as-stream.ts'

test.each(['data: {}', 'event: x', ': comment', '\n\ndata:', '\ufeffdata: {}', 'id: 7', 'retry: 5'])(
  '%j is a stream',
  (text) => {
    expect(beginsAsStream(Buffer.from(text))).toBe(true)
  },
)

test.each(['{"data":1}', ' {"data": 1}', '[]', '<html>', '', 'database: x'])('%j is none', (text) => {
  expect(beginsAsStream(Buffer.from(text))).toBe(false)
})
