import { expect, test } from 'bun:test'
import { eventHead } from '../../../src/dialects/event-head.ts'

test.each([
  [null, 'data: '],
  ['ping', 'event: ping\ndata: '],
  ['größe', 'event: größe\ndata: '],
  ['a\nb', 'data: '],
  ['a\r\n\r\ndata: b', 'data: '],
])('the lines before the data of an event that is called %p', (name, head) => {
  expect(eventHead(name).toString()).toBe(head)
})
