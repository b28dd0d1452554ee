import { expect, test } from 'bun:test'
import { demoBatch } from '../../../src/demo/demo-batch.ts'

test('each line has its result, good or bad', () => {
  const lines = [
    '{"custom_id":"a","url":"/v1/x","body":{"n":1}}',
    'no JSON',
    '',
    '{"custom_id":"c","url":"/v1/y","body":{}}',
  ]
  const { output, counts } = demoBatch(lines.join('\n'), (path, body) => (path === '/v1/x' ? { said: body } : null))
  expect(counts).toEqual({ total: 3, completed: 1, failed: 2 })
  expect(
    output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { custom_id: 'a', response: { status_code: 200, body: { said: { n: 1 } } } },
    { response: { status_code: 400 } },
    { custom_id: 'c', response: { status_code: 400 } },
  ])
})
