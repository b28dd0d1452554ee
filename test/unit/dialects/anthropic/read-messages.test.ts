import { describe, expect, test } from 'bun:test'
import { ContentSum } from '../../../../src/dialects/anthropic/read-content.ts'
import { readMessages } from '../../../../src/dialects/anthropic/read-messages.ts'
import { RequestProblem } from '../../../../src/dialects/request-problem.ts'
import { JsonReader } from '../../../../src/lib/index.ts'

function read(messages: unknown) {
  const problem = new RequestProblem()
  const sum = new ContentSum()
  readMessages(new JsonReader(Buffer.from(JSON.stringify(messages))), problem, sum)
  return { sum, raise: () => problem.raise() }
}

test('sums roles and content of all, and leaves roles to the provider', () => {
  const { sum, raise } = read([
    { role: 'user', content: 'Hello' },
    { role: 'critic', content: [{ type: 'text', text: 'Hm' }], other: 'not read' },
  ])
  expect(sum.textBytes).toBe(4 + 5 + 6 + 4 + 2)
  expect(raise).not.toThrow()
})

describe('a problem names its place', () => {
  test.each([
    ['x', 'messages'],
    [[], 'messages'],
    [[{}, 'x'], 'messages.1'],
  ])('%p', (messages, param) => {
    expect(read(messages).raise).toThrow(expect.objectContaining({ code: 'invalid_request', details: { param } }))
  })
})
