import { expect, test } from 'bun:test'
import { eventText } from '../../../src/lib/index.ts'

test('an event has the name that its type says, and none without a type', () => {
  expect(eventText({ type: 'ping', n: 1 })).toBe('event: ping\ndata: {"type":"ping","n":1}\n\n')
  expect(eventText({ n: 1 })).toBe('data: {"n":1}\n\n')
})
