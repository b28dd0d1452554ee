import { expect, test } from 'bun:test'
import { openReplyStream } from '../../../../src/dialects/anthropic/reply-stream.ts'

const VIEW = { operation: 'messages', model: 'm', showUsage: true } as const
const event = (data: { type: string; [name: string]: unknown }): Buffer =>
  Buffer.from(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)
const text = (said: string) =>
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: said } })
const start = event({ type: 'message_start', message: { model: 'x', usage: { input_tokens: 9, output_tokens: 1 } } })

test('events come out as soon as they are whole, in either line end', () => {
  const stream = openReplyStream(VIEW)
  const said = text('a')
  expect(stream.push(said.subarray(0, -1))).toEqual([])
  expect(stream.push(said.subarray(-1)).map(({ kind }) => kind)).toEqual(['content'])
  const other = openReplyStream(VIEW)
  const crlf = Buffer.from(said.toString().replaceAll('\n', '\r\n'))
  for (let i = 0; i < 3; i++) expect(other.push(crlf).map(({ kind }) => kind)).toEqual(['content'])
})

test('an event that stays as it is keeps its bytes, in memory of its own', () => {
  const stream = openReplyStream(VIEW)
  const odd = Buffer.from(
    'event: content_block_delta\ndata: {"type" : "content_block_delta","x":1.0,"delta":{"text":"a"}}\n\n',
  )
  const pushed = Buffer.from(odd)
  const [out] = stream.push(pushed)
  pushed.fill(0)
  expect(Buffer.from(out?.bytes ?? []).toString()).toBe(odd.toString())
})

test('the prompt is known from the start, the whole at the end alone', () => {
  const stream = openReplyStream(VIEW)
  stream.push(start)
  stream.push(text('abc'))
  expect(stream.usage).toBeNull()
  expect(stream.promptUsage).toMatchObject({ input: 9, output: 0 })
  expect(stream.textBytes).toBe(3)
  stream.push(event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } }))
  expect(stream.usage).toMatchObject({ input: 9, output: 4 })
  expect(stream.finishReason).toBe('end_turn')
})

test('finished and closed is what has its message_stop; nothing is supplied in its place, and nothing comes after it', () => {
  const stream = openReplyStream(VIEW)
  stream.push(Buffer.concat([start, text('a'), event({ type: 'message_delta', delta: { stop_reason: 'end_turn' } })]))
  expect([stream.finished, stream.closed, stream.closing().length]).toEqual([false, false, 0])
  stream.push(event({ type: 'message_stop' }))
  expect([stream.finished, stream.closed, stream.closing().length]).toEqual([true, true, 0])
  expect([...stream.push(text('b')), ...stream.end()]).toEqual([])
})

test('an error event names the status by its type', () => {
  const [failure] = openReplyStream(VIEW).push(
    event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  )
  expect<unknown>(failure).toMatchObject({ kind: 'error', error: { status: 529, message: 'Overloaded' } })
  expect(failure?.bytes.length).toBe(0)
})
