import { expect, test } from 'bun:test'
import { withTrace } from '../../../src/pipeline/with-trace.ts'

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const NOTHING = { headers: [['a', 'b']] as const, query: '' }
const passed = (headers: Record<string, string>) =>
  withTrace(NOTHING, { headers: new Headers(headers), url: 'http://x/' }).headers

test('a trace goes on behind what else does, with its state', () => {
  expect(passed({ traceparent: PARENT })).toEqual([...NOTHING.headers, ['traceparent', PARENT]])
  expect(passed({ traceparent: PARENT, tracestate: 'a=b' })).toEqual([
    ...NOTHING.headers,
    ['traceparent', PARENT],
    ['tracestate', 'a=b'],
  ])
  const later = `cc${PARENT.slice(2)}-what-comes`
  expect(passed({ traceparent: later })).toEqual([...NOTHING.headers, ['traceparent', later]])
})

test('without one nothing is copied', () => {
  const head = { headers: new Headers({ tracestate: 'a=b' }), url: 'http://x/' }
  expect(withTrace(NOTHING, head)).toBe(NOTHING)
})

test.each([`a=${'b'.repeat(512)}`, 'a=\x7f'])(
  'a state that is too long, or that no head may hold, stays behind',
  (tracestate) => {
    expect(passed({ traceparent: PARENT, tracestate })).toEqual([...NOTHING.headers, ['traceparent', PARENT]])
  },
)
