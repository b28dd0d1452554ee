import { describe, expect, test } from 'bun:test'
import { consequenceOf, type FailedReason, type Outcome, type ProviderError } from '../../../src/domain/index.ts'

const said = (status: number): ProviderError => ({ status, message: 'words', type: null, code: null, param: null })
const throttled = (status: number): Outcome => ({ kind: 'throttled', error: said(status), retryAfterMs: null })
const failed = (reason: FailedReason): Outcome => ({ kind: 'failed', reason, status: null, message: 'words' })

type Line = readonly [name: string, outcome: Outcome, next: string, blame: string, charge: string]

/** As ROUTING.md has it: each line is a row of its table. The request had been sent whole, with a credential. */
const SENT: readonly Line[] = [
  ['succeeded', { kind: 'succeeded' }, 'relay', 'cleared', 'usage'],
  ['refused', { kind: 'refused', error: said(400), usage: null }, 'return', 'nobody', 'reported'],
  ['missing there', { kind: 'refused', error: said(404), usage: null }, 'next_candidate', 'nobody', 'nothing'],
  ['not done so there', { kind: 'refused', error: said(405), usage: null }, 'next_candidate', 'nobody', 'nothing'],
  ['gone there', { kind: 'refused', error: said(410), usage: null }, 'next_candidate', 'nobody', 'nothing'],
  ['not done there', { kind: 'refused', error: said(501), usage: null }, 'next_candidate', 'nobody', 'nothing'],
  ['too long', { kind: 'too_long', error: said(400) }, 'larger_context', 'nobody', 'nothing'],
  ['throttled by 429', throttled(429), 'next_credential', 'credential', 'nothing'],
  ['throttled by 529', throttled(529), 'next_candidate', 'backend', 'nothing'],
  ['throttled by 503', throttled(503), 'next_candidate', 'backend', 'nothing'],
  ['denied', { kind: 'denied', error: said(401) }, 'next_credential', 'credential', 'nothing'],
  ['unsent', { kind: 'unsent', reason: 'connect', message: 'words' }, 'next_candidate', 'backend', 'nothing'],
  ['our own bound', { kind: 'unsent', reason: 'no_room', message: 'words' }, 'next_candidate', 'nobody', 'nothing'],
  ['failed by status', failed('status'), 'next_candidate', 'backend', 'nothing'],
  ['failed by framing', failed('framing'), 'next_candidate', 'backend', 'nothing'],
  ['failed by an error in it', failed('error_in_answer'), 'next_candidate', 'backend', 'nothing'],
  ['failed by being no answer', failed('not_an_answer'), 'next_candidate', 'backend', 'nothing'],
  ['failed by its end', failed('ended_early'), 'next_candidate', 'backend', 'nothing'],
  ['cut before content', failed('reset'), 'next_candidate', 'backend', 'absorbed'],
  ['timed out for content', failed('first_content_timeout'), 'next_unless_plain', 'backend', 'absorbed'],
  ['timed out in all', failed('total_timeout'), 'next_unless_plain', 'backend', 'absorbed'],
  ['timed out in silence', failed('idle_timeout'), 'next_unless_plain', 'backend', 'absorbed'],
  ['broken', { kind: 'broken', reason: 'reset', message: 'words' }, 'error_event', 'backend', 'delivered'],
  ['cancelled', { kind: 'cancelled', by: 'client', sent: true }, 'stop', 'nobody', 'leaving'],
]

describe('what an outcome leads to', () => {
  test.each(SENT)('%s', (_name, outcome, next, blame, charge) => {
    expect(consequenceOf(outcome, { sent: true, hasCredential: true })).toEqual({ next, blame, charge } as never)
  })

  const FAILURES: readonly FailedReason[] = ['reset', 'first_content_timeout', 'total_timeout', 'idle_timeout']
  test.each(FAILURES)('%s before the request was sent whole has run nowhere', (reason) => {
    expect(consequenceOf(failed(reason), { sent: false, hasCredential: true })).toEqual({
      next: 'next_candidate',
      blame: 'backend',
      charge: 'nothing',
    })
  })

  test('without a credential the backend itself refuses or throttles', () => {
    for (const outcome of [throttled(429), { kind: 'denied', error: said(401) } as const])
      expect(consequenceOf(outcome, { sent: true, hasCredential: false })).toEqual({
        next: 'next_credential',
        blame: 'backend',
        charge: 'nothing',
      })
  })
})
