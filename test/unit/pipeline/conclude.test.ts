import { describe, expect, spyOn, test } from 'bun:test'
import { GatewayError, money } from '../../../src/domain/index.ts'
import { conclude } from '../../../src/pipeline/conclude.ts'
import { ContentCapture } from '../../../src/pipeline/content-capture.ts'
import { createHouseDouble } from '../../support/house.ts'
import { callAt, recordOf } from './support.ts'

function concluding() {
  const world = createHouseDouble()
  const { call, idleLimit } = callAt(world, { headers: { 'x-request-id': 'theirs' } })
  Object.assign(call, { accountId: 'acc_1', keyId: 'key_1', modelAsked: 'm', model: 'acme/m', stream: true })
  call.backend = 'north'
  world.clock.advanceUs(40)
  call.clock.post()
  return { world, call, idleLimit, timing: call.clock.read() }
}

describe('conclude', () => {
  test('writes the record: the split as it was printed, and the end', async () => {
    const { world, call, idleLimit, timing } = concluding()
    world.clock.advanceUs(60)
    conclude(world.house, call, { status: 200, error: null, timing, settled: null })
    const record = await recordOf(world)
    expect(record).toEqual({
      requestId: call.requestId,
      generationId: call.generationId,
      clientRequestId: 'theirs',
      accountId: 'acc_1',
      keyId: 'key_1',
      operation: 'chat.completions',
      modelAsked: 'm',
      model: 'acme/m',
      backend: 'north',
      stream: true,
      status: 200,
      errorCode: null,
      startedAtMs: 1_800_000_000_000,
      timing: {
        gwUs: 40,
        stages: [['recv', 40]],
        upstreamUs: 0,
        postUs: 0,
        postHoldUs: 0,
        totalUs: 40,
        endedUs: 100,
      },
      skips: [],
      attempts: [],
    })
    expect(idleLimit).toEqual(['restored'])
  })

  test('has what few requests have in their records, and keeps what they say where it is wanted', () => {
    const { world, call, timing } = concluding()
    const headers = new Headers({ 'user-agent': 'sdk' })
    Object.assign(call.arrival, { request: new Request('http://gw/', { headers }) })
    const keep = spyOn(world.house.contents, 'keep').mockImplementation(() => {})
    const concluded = spyOn(world.house.metrics, 'concluded')
    const write = spyOn(world.house.records, 'write')
    const conclusion = { status: 200, error: null, timing, settled: null }
    conclude(world.house, call, conclusion)
    expect(keep).not.toHaveBeenCalled()
    const content = new ContentCapture(Buffer.from('hi'))
    Object.assign(call, { content, finishReason: 'stop', router: 'auto', stickiness: 'kept' })
    conclude(world.house, call, conclusion)
    expect(keep.mock.calls).toEqual([
      [{ requestId: call.requestId, accountId: 'acc_1', prompt: 'hi', answer: null, isCut: false }],
    ])
    const facts = { client: { userAgent: 'sdk' }, finishReason: 'stop', router: 'auto', stickiness: 'kept' }
    expect(write.mock.lastCall).toEqual([expect.objectContaining(facts), false])
    expect(concluded.mock.lastCall).toEqual([expect.objectContaining(facts)])
    call.keepsNothing = true
    conclude(world.house, call, conclusion)
    expect(write.mock.lastCall).toEqual([expect.not.objectContaining({ client: expect.anything() }), true])
  })

  test('logs one line, with what was charged', () => {
    const { world, call, timing } = concluding()
    const settled = {
      cost: money(7350),
      charged: money(7350),
      overrun: money(0),
      balance: money(0),
      durable: Promise.resolve(),
    }
    conclude(world.house, call, { status: 200, error: null, timing, settled })
    expect(world.logs).toMatchObject([
      {
        level: 'info',
        event: 'request',
        fields: {
          request_id: call.requestId,
          client_request_id: 'theirs',
          operation: 'chat.completions',
          account_id: 'acc_1',
          key_id: 'key_1',
          model: 'acme/m',
          backend: 'north',
          stream: true,
          status: 200,
          code: null,
          attempts: 0,
          gw_us: 40,
          upstream_us: 0,
          post_us: 0,
          ended_us: 40,
          charged_usd: '0.00000735',
        },
      },
    ])
  })

  test('of who wants nothing kept no word stands in the log', () => {
    const { world, call, timing } = concluding()
    Object.assign(call, { keepsNothing: true, model: null, modelAsked: 'their words' })
    const error = new GatewayError('model_not_found', 'None.', { internal: 'their words' })
    conclude(world.house, call, { status: 404, error, timing, settled: null })
    expect(JSON.stringify(world.logs)).not.toMatch(/their/)
  })

  test('a refusal is no error of the log, a bug of ours is', () => {
    const { world, call, timing } = concluding()
    const refusal = new GatewayError('invalid_request', 'No n.', { internal: 'why' })
    call.model = null
    conclude(world.house, call, { status: 400, error: refusal, timing, settled: null })
    expect(world.takeErrors()).toEqual([])
    expect(world.logs.at(-1)).toMatchObject({ level: 'info', fields: { code: 'invalid_request', charged_usd: null } })
    expect(world.logs.at(-1)).toMatchObject({ fields: { model: 'm', internal: 'why' } })
    call.keepsNothing = true
    const bug = new GatewayError('internal_error', 'Ours.', { internal: 'at line 1' })
    conclude(world.house, call, { status: 500, error: bug, timing, settled: null })
    expect(world.takeErrors()).toMatchObject([
      { event: 'request', fields: { code: 'internal_error', internal: 'at line 1' } },
    ])
  })

  test('the server’s limit on silence is put back before anything can go wrong', () => {
    const { world, call, idleLimit, timing } = concluding()
    const records = {
      write: () => {
        throw new Error('no record')
      },
    }
    const conclusion = { status: 200, error: null, timing, settled: null }
    expect(() => conclude({ ...world.house, records }, call, conclusion)).toThrow('no record')
    expect(idleLimit).toEqual(['restored'])
  })
})
