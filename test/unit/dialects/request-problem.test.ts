import { expect, test } from 'bun:test'
import { RequestProblem } from '../../../src/dialects/request-problem.ts'
import { GatewayError } from '../../../src/domain/index.ts'

test('the first fault is told, the others are not', () => {
  const problem = new RequestProblem()
  expect(() => problem.raise()).not.toThrow()
  problem.duplicate('n')
  problem.missing('model', null)
  expect(() => problem.raise()).toThrow(new GatewayError('duplicate_field', "The field 'n' is given twice."))
})
