import { expect, test } from 'bun:test'
import { notAnAnswer, whatItIs } from '../../../src/dialects/not-an-answer.ts'
import { JsonError } from '../../../src/lib/index.ts'

test.each([
  ['', 'the answer is empty'],
  [' \n ', 'the answer is empty'],
  [' <p>CANARY', 'the answer is HTML'],
  ['CANARY', 'the answer is not JSON: '],
])('%p', (text, wanted) => {
  const body = Buffer.from(text)
  const said = whatItIs(body, new JsonError('a value is expected', body, 0, 0))
  expect(said).toStartWith(wanted)
  expect(said).not.toContain('CANARY')
  expect(notAnAnswer(said)).toEqual({ kind: 'not_an_answer', message: said })
})
