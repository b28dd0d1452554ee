import { describe, expect, test } from 'bun:test'
import { createLeave, leaving, openCall } from '../../../src/pipeline/call.ts'
import { asking } from '../../support/ask.ts'
import { createHouseDouble } from '../../support/house.ts'
import { callAt } from './support.ts'

describe('openCall', () => {
  test('gives both ids one body, and knows nothing else yet', () => {
    const world = createHouseDouble()
    const { call } = callAt(world, { headers: { 'x-request-id': 'theirs' } })
    expect(call.requestId.slice(4)).toBe(call.generationId.slice(4))
    expect(call.requestId).toMatch(/^req_[0-9a-f]{32}$/)
    expect(call).toMatchObject({
      clientRequestId: 'theirs',
      startedAtMs: 1_800_000_000_000,
      accountId: null,
      model: null,
      stream: false,
      attempts: [],
    })
  })

  test('keeps 128 characters of the caller’s own id', () => {
    const world = createHouseDouble()
    expect(callAt(world, { headers: { 'x-request-id': 'x'.repeat(200) } }).call.clientRequestId).toHaveLength(128)
    expect(callAt(world).call.clientRequestId).toBeNull()
  })

  test('hears that the caller leaves, also when it has left already', () => {
    const world = createHouseDouble()
    const late = callAt(world)
    expect(late.call.leave.reason).toBeNull()
    late.leave()
    expect(late.call.leave.reason).toBe('client')
    const early = asking()
    early.leave()
    expect(openCall(world.house, early.arrival).leave.reason).toBe('client')
  })
})

describe('the latch', () => {
  test('fires once, with its first reason, for all who listen', () => {
    const leave = createLeave()
    const heard: string[] = []
    leave.onFire((reason) => heard.push(`one ${reason}`))
    leave.onFire((reason) => heard.push(`two ${reason}`))
    leave.fire('storage')
    leave.fire('client')
    expect(heard).toEqual(['one storage', 'two storage'])
    expect(leave.reason).toBe('storage')
  })

  test('who stopped listening hears nothing, who comes late hears it at once', () => {
    const leave = createLeave()
    const heard: string[] = []
    leave.onFire(() => heard.push('gone'))()
    leave.fire('client')
    leave.onFire((reason) => heard.push(reason))()
    expect(heard).toEqual(['client'])
  })

  test('a listener may stop another while it fires', () => {
    const leave = createLeave()
    const heard: string[] = []
    let stop = (): void => {}
    leave.onFire(() => stop())
    stop = leave.onFire(() => heard.push('second'))
    leave.fire('client')
    expect(heard.length).toBeLessThanOrEqual(1)
    expect(leave.reason).toBe('client')
  })
})

test.each([
  ['client', 'client_closed_request', 499],
  ['client_stall', 'client_closed_request', 499],
  ['credit', 'client_closed_request', 499],
  ['storage', 'storage_unavailable', 503],
  ['shutdown', 'shutting_down', 503],
] as const)('a call that must stop because of %s', (reason, code, status) => {
  const { call } = callAt(createHouseDouble())
  expect(leaving(call)).toBeNull()
  call.leave.fire(reason)
  expect(leaving(call)).toMatchObject({ code, status })
})
