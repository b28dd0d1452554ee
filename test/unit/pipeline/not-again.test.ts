import { expect, test } from 'bun:test'
import { GatewayError } from '../../../src/domain/index.ts'
import { leftAfter, notAgain } from '../../../src/pipeline/not-again.ts'
import { createHouseDouble } from '../../support/house.ts'
import { callAt } from './support.ts'

const ERROR = new GatewayError('provider_failed', 'The provider failed.', { param: 'x', retryAfterMs: 7 })

test.each([true, false])(
  'what may have been done is not to be sent again, unless the operator says so (%p)',
  (noRetryAfterSend) => {
    const { call } = callAt(createHouseDouble({ replies: { noRetryAfterSend } }))
    const error = notAgain(call, ERROR)
    expect(error).toMatchObject({
      code: 'provider_failed',
      message: 'The provider failed.',
      retryable: !noRetryAfterSend,
    })
    expect(error.details).toMatchObject({ param: 'x', retryAfterMs: 7 })
  },
)

test('a call that must stop says so, and whether it may be sent again; one that need not says nothing', () => {
  const { call } = callAt(createHouseDouble())
  expect(leftAfter(call, true)).toBeNull()
  call.leave.fire('shutdown')
  expect(leftAfter(call, true)).toMatchObject({ code: 'shutting_down', retryable: false })
  expect(leftAfter(call, false)).toMatchObject({ code: 'shutting_down', retryable: true })
})
