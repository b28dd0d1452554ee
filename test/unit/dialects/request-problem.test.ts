import { expect, test } from 'bun:test'
import { KIND_WORDS, RequestProblem } from '../../../src/dialects/request-problem.ts'
import { GatewayError } from '../../../src/domain/index.ts'

test('the first fault is told, the others are not', () => {
  const problem = new RequestProblem()
  expect(() => problem.raise()).not.toThrow()
  problem.duplicate('n')
  problem.missing('model', null)
  expect(() => problem.raise()).toThrow(new GatewayError('duplicate_field', "The field 'n' is given twice."))
})

test('a fault comes before a field that is given twice', () => {
  const problem = new RequestProblem()
  problem.missing('model', null)
  problem.duplicate('n')
  expect(() => problem.raise()).toThrow("Missing required parameter: 'model'.")
})

test('kinds have their articles', () => {
  expect(KIND_WORDS).toEqual({
    object: 'an object',
    array: 'an array',
    string: 'a string',
    number: 'a number',
    true: 'a boolean',
    false: 'a boolean',
    null: 'null',
  })
})
