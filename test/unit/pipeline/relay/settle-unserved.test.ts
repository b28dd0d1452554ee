import { describe, expect, test } from 'bun:test'
import { GatewayError, NO_USAGE, ZERO } from '../../../../src/domain/index.ts'
import type { Ending } from '../../../../src/pipeline/handover.ts'
import { settleUnserved } from '../../../../src/pipeline/relay/settle-unserved.ts'
import { createHouseDouble, type HouseSpec } from '../../../support/house.ts'
import { callAt, candidatesOf } from '../support.ts'

const USAGE = { ...NO_USAGE, input: 7 }

function settling(spec: HouseSpec = {}) {
  const world = createHouseDouble(spec)
  const caller = callAt(world)
  const [candidate] = candidatesOf(world)
  if (candidate === undefined) throw new Error('no candidate')
  const endings: Ending[] = []
  const settle = (ending: Ending) => {
    endings.push(ending)
    return { cost: ZERO, charged: ZERO, overrun: ZERO, balance: ZERO, durable: Promise.resolve() }
  }
  const end = {
    kind: 'unserved',
    error: new GatewayError('provider_failed', 'x'),
    mayHaveRun: null,
    reported: null,
  } as const
  return {
    ...caller,
    candidate,
    endings,
    settle: (more: object = {}) => settleUnserved(caller.call, { ...end, ...more }, { settle }),
  }
}

describe('no attempt served', () => {
  test('nothing is owed', () => {
    const made = settling()
    made.settle({ mayHaveRun: made.candidate })
    expect(made.endings).toEqual([{ kind: 'voided', reason: 'no_answer' }])
  })

  test('the caller left: the prompt, where the provider had all of it', () => {
    const made = settling()
    made.leave()
    made.settle({ mayHaveRun: made.candidate })
    made.settle()
    expect(made.endings).toMatchObject([
      { kind: 'served', reason: 'client_gone', usage: null, textBytes: 0 },
      { kind: 'voided', reason: 'cancelled_unsent' },
    ])
  })

  test('the caller left, and the operator wants nothing for it', () => {
    const made = settling({ money: { beforeContent: 'free' } })
    made.leave()
    made.settle({ mayHaveRun: made.candidate })
    expect(made.endings).toMatchObject([{ kind: 'voided', reason: 'client_gone' }])
  })

  test.each(['storage', 'shutdown'] as const)('because of the %s', (reason) => {
    const made = settling()
    made.call.leave.fire(reason)
    made.settle()
    expect(made.endings).toEqual([{ kind: 'voided', reason }])
  })

  test('a refusal with usage: as it was reported', () => {
    const made = settling()
    made.settle({ reported: { candidate: made.candidate, usage: USAGE } })
    expect(made.endings).toMatchObject([{ kind: 'served', reason: 'provider_reported', usage: USAGE }])
  })
})
