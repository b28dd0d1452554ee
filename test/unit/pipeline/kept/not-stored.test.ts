import { expect, test } from 'bun:test'
import { notStored } from '../../../../src/pipeline/kept/not-stored.ts'

test('what the account has not is named as far as it is short', () => {
  expect(notStored({ kind: 'batch', id: 'b' })).toMatchObject({
    code: 'not_stored',
    status: 404,
    message: "Batch with id 'b' not found.",
  })
  const found = notStored({ kind: 'response', id: 'x'.repeat(200) }, { param: 'a', status: 400 }, 'Previous response')
  expect(found).toMatchObject({ status: 400, details: { param: 'a' } })
  expect(found.message).toBe(`Previous response with id '${'x'.repeat(100)}' not found.`)
})
