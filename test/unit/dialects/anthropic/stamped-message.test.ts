import { describe, expect, test } from 'bun:test'
import { AnswerReader } from '../../../../src/dialects/anthropic/answer-reader.ts'
import { stampedMessage, stampedUsage } from '../../../../src/dialects/anthropic/stamped-message.ts'
import type { ReplyStamp } from '../../../../src/dialects/index.ts'
import { money, NO_USAGE } from '../../../../src/domain/index.ts'

const STAMP: ReplyStamp = {
  operation: 'messages',
  id: 'gen-1',
  createdS: 1_789_000_000,
  model: 'a/m',
  provider: 'north',
  isByok: false,
  cost: ({ output }) => money(output * 10_000),
  estimate: (textBytes) => ({ ...NO_USAGE, output: textBytes }),
}

function read(text: string) {
  const bytes = Buffer.from(text)
  const answer = new AnswerReader()
  answer.read(bytes, 0, bytes.length)
  return { bytes, spans: answer.spans, usage: answer.usage.whole ?? NO_USAGE }
}

describe('a message', () => {
  test('bears our marks where its own stand, and every other byte stays', () => {
    const { bytes, spans } = read('{"id":"msg_1", "x":1.0,"model":"theirs","content":[],"provider":"Other"}')
    expect(Buffer.from(stampedMessage(bytes, spans, STAMP, null)).toString()).toBe(
      '{"id":"gen-1", "x":1.0,"model":"a/m","content":[],"provider":"north"}',
    )
  })

  test('that says nothing stays so', () => {
    const { bytes, spans } = read('{"type":"message_start","message":{ }}')
    expect(stampedMessage(bytes, spans, STAMP, null)).toBe(bytes)
  })

  test('gets those that it lacks at its start', () => {
    const { bytes, spans } = read('{"content":[]}')
    expect(JSON.parse(Buffer.from(stampedMessage(bytes, spans, STAMP, '{"cost":1}')).toString())).toEqual({
      id: 'gen-1',
      provider: 'north',
      model: 'a/m',
      usage: { cost: 1 },
      content: [],
    })
  })
})

test('usage: what is billed, its cost to the last digit, what else was reported, and nothing of the provider’s money', () => {
  const { bytes, spans, usage } = read(
    '{"content":[],"usage":{"input_tokens":3,"output_tokens":1,"service_tier":"batch","cost":9,"cost_details":{},"is_byok":true}}',
  )
  expect(stampedUsage(bytes, spans.usage, usage, STAMP)).toBe(
    '{"input_tokens":3,"output_tokens":1,"service_tier":"batch","cache_creation_input_tokens":0,"cache_read_input_tokens":0,"is_byok":false,"cost":0.00001}',
  )
  const long = { ...NO_USAGE, cacheWrite: 1, cacheWriteLong: 2, output: 3, reasoning: 4 }
  expect(JSON.parse(stampedUsage(bytes, null, long, STAMP))).toEqual({
    input_tokens: 0,
    cache_creation_input_tokens: 3,
    cache_read_input_tokens: 0,
    output_tokens: 7,
    is_byok: false,
    cost: 0.00003,
  })
})
