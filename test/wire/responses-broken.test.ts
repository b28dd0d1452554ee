import { afterAll, describe, expect, test } from 'bun:test'
import { startGateway } from '../support/gateway.ts'
import { close, json, script } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { balanceOf, errorOf, settlementOf } from '../support/wire-chat.ts'
import { operate, operationWorld, typedEvent } from '../support/wire-operations.ts'
import { eventsIn, responseBody, responseEvents, responseJson, responseSse } from '../support/wire-responses.ts'

const PATH = '/v1/responses'
const COST = 6 * 4000 + 4 * 1000 + 5 * 10_000

/** Two backends of one model, of which the first may fail as often as it likes. */
async function twoBackends() {
  const [bad, good] = [await scriptedProvider(), await scriptedProvider()]
  const gateway = await startGateway({
    offers: { m1: [{ provider: bad }, { provider: good }] },
    yaml: { quarantine: { failures: 100, window_min: 100 } },
  })
  return { bad, good, gateway }
}
const shared = await twoBackends()
afterAll(async () => {
  await shared.gateway[Symbol.asyncDispose]()
  for (const provider of [shared.bad, shared.good]) await provider[Symbol.asyncDispose]()
})

describe('what fails before content is a failed attempt, and another backend serves', () => {
  const failed = { error: { code: 'server_error', message: 'overloaded' }, status: 'failed', output: [] }
  test.each([
    ['a plain response that failed', false, responseJson(failed)],
    [
      'a stream that fails',
      true,
      responseSse([
        ...responseEvents([]).slice(0, 2),
        { type: 'response.failed', response: responseBody(failed) } as { type: string },
      ]),
    ],
    [
      'an error event',
      true,
      responseSse([
        ...responseEvents([]).slice(0, 2),
        { type: 'error', code: 'server_error', message: 'x', param: null } as { type: string },
      ]),
    ],
    ['a stream that ends', true, responseSse(responseEvents([]).slice(0, 4))],
    ['no response', false, json({ id: 'resp_1', object: 'response' })],
    [
      'a stream that breaks',
      true,
      script(
        { status: 200, headers: { 'content-type': 'text/event-stream' } },
        typedEvent({ type: 'response.created' }),
        close(),
      ),
    ],
  ] as const)('%s', async (_name, stream, first) => {
    const { bad, good, gateway } = shared
    const [paid, sent] = [await balanceOf(gateway), bad.requests.length + good.requests.length]
    bad.script(first)
    good.script(stream ? responseSse(responseEvents(['Hello'])) : responseJson())
    const body = await operate(gateway, PATH, { input: 'hi', stream }).text()
    expect(body).toContain('Hello')
    expect(body).not.toContain('failed')
    expect(bad.requests.length + good.requests.length).toBe(sent + 2)
    expect(await balanceOf(gateway)).toBe(paid - COST)
  })
})

test('what the code of a failed response calls the caller’s fault is not tried elsewhere', async () => {
  const fault = { error: { code: 'invalid_prompt', message: 'no' }, status: 'failed', output: [] }
  await using world = await operationWorld({}, responseJson(fault))
  const answer = operate(world.gateway, PATH, { input: 'hi' })
  expect(await errorOf(answer)).toMatchObject({ status: 400, code: 'invalid_prompt', message: 'no' })
})

describe('a stream that breaks after content', () => {
  test.each([
    ['because it is cut', [close()], []],
    ['because it ends early', [], []],
    [
      'because the provider says so',
      [],
      [
        {
          type: 'response.failed',
          response: responseBody({
            status: 'failed',
            usage: null,
            error: { code: 'server_error', message: 'x' },
          }),
        },
      ],
    ],
  ] as const)('%s', async (_name, parts, rest) => {
    await using world = await operationWorld({}, responseSse(responseEvents(['Hel', 'lo'], rest), ...parts))
    const seen = eventsIn(await operate(world.gateway, PATH, { input: 'hi', stream: true }).text())
    const [error, failed] = seen.slice(-2)
    expect(seen.map(({ data }) => data.sequence_number)).toEqual(seen.map((_, at) => at))
    expect(error).toMatchObject({
      name: 'error',
      data: {
        type: 'error',
        code: 'stream_broken',
        error: { code: 'stream_broken', type: 'server_error', param: null },
      },
    })
    expect(failed).toMatchObject({
      name: 'response.failed',
      data: { response: { id: 'resp_1', model: 'm1', status: 'failed', error: { code: 'stream_broken' } } },
    })
    expect(await settlementOf(world.gateway)).toMatchObject({ reason: 'provider_broken', usage_source: 'estimate' })
  })
})
