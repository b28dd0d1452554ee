import { expect, test } from 'bun:test'
import { asStreamError, streamFailure } from '../../../src/dialects/stream-failure.ts'
import { SseOverflow } from '../../../src/lib/index.ts'

test('an error without a word of the provider', () => {
  expect(streamFailure('no JSON')).toEqual({ status: 200, message: 'no JSON', type: null, code: null, param: null })
})

test('an event beyond the bound breaks its stream; a bug stays one', () => {
  expect(asStreamError(new SseOverflow(4))).toMatchObject({ code: 'stream_broken' })
  const bug = new TypeError('bug')
  expect(asStreamError(bug)).toBe(bug)
})
