import { expect, test } from 'bun:test'
import { openReplyStream } from '../../../../src/dialects/openai/reply-stream.ts'

const chunk = (delta: object, finish: string | null = null): Buffer =>
  Buffer.from(`data: ${JSON.stringify({ model: 'x', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`)

test('events come out as soon as they are whole', () => {
  const stream = openReplyStream({ operation: 'chat.completions', model: 'm', showUsage: false })
  const event = chunk({ content: 'a' })
  expect(stream.push(event.subarray(0, -1))).toEqual([])
  expect(stream.push(event.subarray(-1)).map(({ kind }) => kind)).toEqual(['content'])
  expect(stream.push(Buffer.concat([event, event, event])).length).toBe(3)
  expect(stream.textBytes).toBe(4)
})

test('with CRLF too: not only when the next event begins', () => {
  const stream = openReplyStream({ operation: 'chat.completions', model: 'm', showUsage: false })
  const event = Buffer.from(chunk({ content: 'a' }).toString().replaceAll('\n', '\r\n'))
  for (let i = 0; i < 3; i++) expect(stream.push(event).map(({ kind }) => kind)).toEqual(['content'])
})

test('finished means every choice that began', () => {
  const stream = openReplyStream({ operation: 'chat.completions', model: 'm', showUsage: false })
  expect(stream.finished).toBe(false)
  stream.push(chunk({ content: 'a' }))
  expect([stream.finished, Buffer.from(stream.closing()).toString()]).toEqual([false, ''])
  stream.push(chunk({}, 'stop'))
  expect(stream.closed).toBe(false)
  expect([stream.finished, Buffer.from(stream.closing()).toString()]).toEqual([true, 'data: [DONE]\n\n'])
  stream.push(Buffer.from('data: [DONE]\n\n'))
  expect(Buffer.from(stream.closing()).toString()).toBe('')
  expect(stream.closed).toBe(true)
  expect(stream.push(chunk({ content: 'late' }))).toEqual([])
  expect(stream.end()).toEqual([])
})

test('an error event may name its status', () => {
  const stream = openReplyStream({ operation: 'chat.completions', model: 'm', showUsage: false })
  const [event] = stream.push(Buffer.from('data: {"error":{"message":"slow down","code":429}}\n\n'))
  expect<unknown>(event).toMatchObject({ kind: 'error', error: { status: 429, code: '429', message: 'slow down' } })
  expect(event?.bytes.length).toBe(0)
})
