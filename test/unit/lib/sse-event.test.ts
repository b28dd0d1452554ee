import { expect, test } from 'bun:test'
import { sseEvent } from '../../../src/lib/index.ts'

function read(text: string): [name: string | null, data: string | null, comments: string] {
  const bytes = Buffer.from(`xx${text}`)
  const { name, data, comments } = sseEvent(bytes, 2, bytes.length)
  return [name, data === null ? null : Buffer.from(data).toString(), Buffer.from(comments).toString()]
}

test('fields, comments and line ends of every kind', () => {
  expect(read('event: error\ndata: a\n\n')).toEqual(['error', 'a', ''])
  expect(read('data: a\r\ndata:b\rdata:  c\n\n')).toEqual([null, 'a\nb\n c', ''])
  expect(read(': one\ndata: é\n:two\n\n')).toEqual([null, 'é', ': one\n:two\n'])
  expect(read('id: 7\nretry: 3\nfoo: bar\ndatax: no\n data: no\n\n')).toEqual([null, null, ''])
  expect(read('data\n\n')).toEqual([null, '', ''])
  expect(read('data:\ndata:\n\n')).toEqual([null, '\n', ''])
  expect(read('event: a\nevent: b\n\n')).toEqual(['b', null, ''])
  expect(read('\ufeffdata: a')).toEqual([null, 'a', ''])
  expect(read('')).toEqual([null, null, ''])
})
