import { describe, expect, test } from 'bun:test'
import type { StreamEvent } from '../../../../src/dialects/index.ts'
import { createGate } from '../../../../src/pipeline/dispatch/gate.ts'

const of = (kind: 'content' | 'silent' | 'withheld', size = 1): StreamEvent => ({ kind, bytes: new Uint8Array(size) })
const ERROR: StreamEvent = {
  kind: 'error',
  bytes: new Uint8Array(0),
  error: { status: 200, message: 'overloaded', type: null, code: null, param: null },
}
const many = (count: number): StreamEvent[] => Array.from({ length: count }, () => of('silent'))

describe('the gate', () => {
  test('is closed until the first content, and keeps everything in order', () => {
    const gate = createGate()
    const [role, comment, content, more] = [of('silent'), of('withheld'), of('content'), of('silent')]
    expect(gate.see([role])).toEqual({ kind: 'closed' })
    expect(gate.see([])).toEqual({ kind: 'closed' })
    expect(gate.see([comment, content, more])).toEqual({ kind: 'open' })
    expect(gate.held).toEqual([role, comment, content, more])
  })

  test('an error before any content is no answer', () => {
    const gate = createGate()
    gate.see([of('silent')])
    expect(gate.see([of('silent'), ERROR])).toMatchObject({ kind: 'error', error: { message: 'overloaded' } })
  })

  test('an error after the first content is held for the relay: the commit point is passed', () => {
    const gate = createGate()
    expect(gate.see([of('content'), ERROR])).toEqual({ kind: 'open' })
    expect(gate.held.at(-1)).toBe(ERROR)
  })

  test('opens without content when more than 64 events came', () => {
    const gate = createGate()
    expect(gate.see(many(64))).toEqual({ kind: 'closed' })
    expect(gate.see(many(1))).toEqual({ kind: 'open' })
  })

  test('opens without content when more than 256 KB came', () => {
    const gate = createGate()
    expect(gate.see([of('silent', 256 * 1024)])).toEqual({ kind: 'closed' })
    expect(gate.see([of('silent', 1)])).toEqual({ kind: 'open' })
  })
})
