import { expect, test } from 'bun:test'
import type { ReplyView } from '../../../../src/dialects/index.ts'
import { readResponseObject } from '../../../../src/dialects/openai/read-response-object.ts'
import { responseDefaults, responseSplices } from '../../../../src/dialects/openai/response-splices.ts'
import { money, NO_USAGE } from '../../../../src/domain/index.ts'
import { JsonReader, jsonSplice } from '../../../../src/lib/index.ts'

const PLAIN = { operation: 'responses', model: 'demo/fast', showUsage: true } as const
const STAMPED: ReplyView = {
  ...PLAIN,
  stamp: {
    ...{ operation: 'responses', id: 'gen-1', createdS: 7, model: 'demo/fast', provider: 'north', isByok: false },
    cost: ({ output }) => money(output * 1000),
    estimate: (textBytes) => ({ ...NO_USAGE, output: textBytes }),
  },
}

function written(text: string, view: ReplyView): string {
  const bytes = Buffer.from(text)
  const splices = responseSplices(bytes, readResponseObject(new JsonReader(bytes)), view, 3)
  return Buffer.from(jsonSplice(bytes, splices)).toString()
}

test('the model alone, byte for byte', () => {
  expect(written('{"model" : "north", "x":1.0}', PLAIN)).toBe('{"model" : "demo/fast", "x":1.0}')
})

test('what some readers insist on is put in, and the cost beside what was reported', () => {
  const text = '{"status":"completed","completed_at":7,"usage":{"input_tokens":1,"output_tokens":2,"cost":9,"x":1}}'
  expect(JSON.parse(written(text, STAMPED))).toEqual({
    ...responseDefaults,
    status: 'completed',
    completed_at: 7,
    usage: {
      x: 1,
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 3,
      is_byok: false,
      cost: 0.000002,
    },
  })
})

test('what is there stays, null or not', () => {
  const all = { ...responseDefaults, error: null, instructions: 'i', tools: [{}], metadata: null, temperature: 1 }
  const told = JSON.parse(
    written(JSON.stringify({ status: 'queued', ...all, incomplete_details: { reason: 'x' } }), STAMPED),
  )
  expect(told).toEqual({ status: 'queued', ...all, incomplete_details: { reason: 'x' } })
})

test('what is billed is told where nothing was reported, of a whole response alone', () => {
  expect(JSON.parse(written('{"status":"completed"}', STAMPED)).usage).toMatchObject({
    output_tokens: 3,
    cost: 0.000003,
  })
  expect(JSON.parse(written('{"status":"queued","usage":null}', STAMPED)).usage).toBeNull()
})

test('one that says nothing stays so', () => {
  expect(written('{ }', STAMPED)).toBe('{ }')
})
