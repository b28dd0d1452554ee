import { expect, test } from 'bun:test'
import { serverTiming } from '../../../src/cli/server-timing.ts'

test('entries by name, times as they were printed', () => {
  const entries = serverTiming(
    'gw;dur=0.25, gw-recv;dur=0.05, upstream;dur=21.37, upstream-1;dur=21.37;desc="north new", total;dur=21.74',
  )
  expect([...entries.keys()]).toEqual(['gw', 'gw-recv', 'upstream', 'upstream-1', 'total'])
  expect(entries.get('gw')).toEqual({ ms: '0.25', description: null })
  expect(entries.get('upstream-1')).toEqual({ ms: '21.37', description: 'north new' })
})

test('an answer without the header has none', () => {
  expect(serverTiming('').size).toBe(0)
})
