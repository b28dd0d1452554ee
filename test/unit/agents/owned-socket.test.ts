import { expect, test } from 'bun:test'
import { socketErrorText } from '../../../src/agents/owned-socket.ts'

test('an error is told with its code', () => {
  expect(socketErrorText(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED: refused')
  const told = 'ECONNRESET: connection reset by peer, read'
  expect(socketErrorText(Object.assign(new Error(told), { code: 'ECONNRESET' }))).toBe(told)
  expect(socketErrorText(Object.assign(new Error('odd'), { code: 7 }))).toBe('odd')
  expect(socketErrorText(new Error('self-signed'))).toBe('self-signed')
})
