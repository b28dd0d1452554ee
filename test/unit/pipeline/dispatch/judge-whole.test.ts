import { describe, expect, test } from 'bun:test'
import { dialectOf } from '../../../../src/dialects/index.ts'
import { judgeWhole } from '../../../../src/pipeline/dispatch/judge-whole.ts'

const READING = {
  dialect: dialectOf('openai'),
  view: { operation: 'chat.completions' as const, model: 'acme/m', showUsage: true },
  nowMs: 0,
}
const judge = (status: number, body: unknown) =>
  judgeWhole({ status, headers: [] }, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), READING)

const ANSWER = { choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] }
const USAGE = { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 }

describe('a 2xx', () => {
  test('with an answer', () => {
    expect(judge(200, ANSWER)).toMatchObject({ kind: 'answer' })
  })

  test.each([
    [{ message: 'busy' }, { kind: 'failed', reason: 'error_in_answer' }],
    [
      { message: 'busy', code: 500 },
      { kind: 'failed', reason: 'error_in_answer' },
    ],
    [
      { message: 'slow down', code: 429 },
      { kind: 'throttled', retryAfterMs: null },
    ],
    [{ message: 'no credit', code: 402 }, { kind: 'denied' }],
    [{ message: 'quota', code: 'insufficient_quota' }, { kind: 'denied' }],
    [
      { message: 'long', code: 'context_length_exceeded' },
      { kind: 'too_long', error: { status: 400 } },
    ],
    [
      { message: 'no such role', code: 400 },
      { kind: 'refused', error: { status: 400 } },
    ],
  ] as const)('with the error %j', (error, outcome) => {
    expect(judge(200, { error })).toMatchObject(outcome)
  })

  test('with an error that is the caller’s fault keeps the usage beside it; no other kind has any', () => {
    expect(judge(200, { error: { message: 'policy', code: 400 }, usage: USAGE })).toMatchObject({
      kind: 'refused',
      usage: { input: 10, output: 0 },
    })
    expect(judge(200, { error: { message: 'busy' }, usage: USAGE })).not.toHaveProperty('usage')
  })

  test('of any other number with an error says as much', () => {
    expect(judge(202, { error: { message: 'slow down', code: 429 } })).toMatchObject({ kind: 'throttled' })
  })

  test('with something else', () => {
    expect(judge(200, '<html>')).toMatchObject({ kind: 'failed', reason: 'not_an_answer' })
  })
})

describe('an error', () => {
  test('is classified by its status', () => {
    expect(judge(500, { error: { message: 'boom' } })).toMatchObject({ kind: 'failed', status: 500 })
    expect(judge(429, '')).toMatchObject({ kind: 'throttled' })
  })

  test('that reports usage with a refusal keeps it', () => {
    expect(judge(400, { error: { message: 'policy' }, usage: USAGE })).toMatchObject({
      kind: 'refused',
      usage: { input: 10, output: 0 },
    })
    expect(judge(400, { error: { message: 'policy' } })).toMatchObject({ kind: 'refused', usage: null })
    expect(judge(400, 'no')).toMatchObject({ kind: 'refused', usage: null })
    expect(judge(429, { error: { message: 'slow down' }, usage: USAGE })).not.toHaveProperty('usage')
  })
})
