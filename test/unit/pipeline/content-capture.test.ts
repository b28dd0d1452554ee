import { describe, expect, test } from 'bun:test'
import type { StreamEvent } from '../../../src/dialects/index.ts'
import { type AccountContext, DEFAULT_POLICY } from '../../../src/domain/index.ts'
import { ContentCapture, captured, keptOf } from '../../../src/pipeline/content-capture.ts'
import type { LiveObserver, LiveStream } from '../../../src/pipeline/handover.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)
const KEPT_MAX = 256 * 1024

describe('a capture', () => {
  test('is prompt and answer as text', () => {
    const capture = new ContentCapture(bytes('question'))
    expect(capture.read()).toEqual({ prompt: 'question', answer: null, isCut: false })
    capture.add(bytes('an '))
    capture.add(bytes('answer'))
    expect(capture.read()).toEqual({ prompt: 'question', answer: 'an answer', isCut: false })
  })

  test('keeps the beginning of what is long, and says so', () => {
    const long = new ContentCapture(bytes('x'.repeat(KEPT_MAX + 1))).read()
    expect([long.prompt.length, long.isCut]).toEqual([KEPT_MAX, true])
    const capture = new ContentCapture(bytes('q'))
    capture.add(bytes('a'.repeat(KEPT_MAX - 1)))
    expect(capture.read().isCut).toBe(false)
    for (const piece of ['bc', 'd']) capture.add(bytes(piece))
    const { answer, isCut } = capture.read()
    expect([answer?.length, answer?.slice(-2), isCut]).toEqual([KEPT_MAX, 'ab', true])
  })
})

describe('what is kept of a request', () => {
  const contextOf = (storeContent: boolean, ofAccount = false, ofKey = false): AccountContext => {
    const policy = (zeroRetention: boolean) => ({ policy: { ...DEFAULT_POLICY, zeroRetention } })
    const parts = { account: { ...policy(ofAccount), storeContent }, key: policy(ofKey), own: [] }
    return parts as unknown as AccountContext
  }
  const kept = (context: AccountContext, body = 'question') => {
    const { keepsNothing, content } = keptOf(context, bytes(body))
    return [keepsNothing, content?.read().prompt ?? null]
  }

  test('is its content where the account asked for it', () => {
    expect(kept(contextOf(false))).toEqual([false, null])
    expect(kept(contextOf(true))).toEqual([false, 'question'])
    expect(kept(contextOf(true), '')).toEqual([false, null])
  })

  test('is nothing where account or key keep nothing, whatever was asked for', () => {
    expect(kept(contextOf(true, true))).toEqual([true, null])
    expect(kept(contextOf(true, false, true))).toEqual([true, null])
  })
})

test('of a stream is captured what is relayed, and what the observer sees is the same', () => {
  const content = (text: string): StreamEvent => ({ kind: 'content', bytes: bytes(text) })
  const failure: StreamEvent = {
    kind: 'error',
    bytes: bytes('theirs'),
    error: { status: 500, message: 'no', type: null, code: null, param: null },
  }
  let observer: LiveObserver | null = null
  const live = { held: [content('a')], attach: (one: LiveObserver) => (observer = one) } as unknown as LiveStream
  expect(captured(live, null)).toBe(live)
  const capture = new ContentCapture(bytes('q'))
  const stream = captured(live, capture)
  const seen: unknown[] = []
  stream.attach({
    events: (events) => seen.push(events),
    end: () => seen.push('end'),
    broken: (reason, message) => seen.push([reason, message]),
  })
  const attached = observer as LiveObserver | null
  attached?.events([content('b'), failure])
  attached?.end()
  attached?.broken('reset', 'gone')
  expect(capture.read().answer).toBe('ab')
  expect(seen).toEqual([[content('b'), failure], 'end', ['reset', 'gone']])
})
