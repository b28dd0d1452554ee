import { expect, test } from 'bun:test'
import { ask, chat, upload } from '../../../support/ask.ts'
import { settleMicrotasks } from '../../../support/fake-clock.ts'
import { ACCOUNT, MODEL } from '../../../support/house.ts'
import { completion } from '../../../support/sse.ts'
import { adminWorld, refusal } from './support.ts'

const PROMPT = 'canary-of-a-prompt'

test('200: a request with its attempts, its time and the money of its settlement', async () => {
  await using world = adminWorld()
  const sending = upload()
  const { answer } = ask(world, sending.body)
  world.clock.advance(3)
  sending.send(chat({ user: PROMPT }))
  sending.end()
  const exchange = await world.agent('north').next()
  world.clock.advance(20)
  exchange.play(completion('Hello', 10, 5))
  const response = await answer
  await response.text()
  await settleMicrotasks()
  const id = response.headers.get('x-request-id')
  const { status, body } = await world.call('GET', `/records/${id}`)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    request_id: id,
    generation_id: expect.stringMatching(/^gen-/),
    account_id: ACCOUNT,
    key_id: 'key_test',
    operation: 'chat.completions',
    model_asked: MODEL,
    model: MODEL,
    backend: 'north',
    stream: false,
    status: 200,
    error_code: null,
    skips: [],
    attempts: [{ number: 1, backend: 'north', outcome: 'succeeded', absorbed: false }],
    settlement: {
      end: 'settled',
      reason: 'completed',
      usage: { input: 10, output: 5 },
      usage_source: 'reported',
      charged_usd: '0.00003',
      charged_nano: 30_000,
    },
  })
  const { gw_us, upstream_us, post_us, total_us, stages } = body.timing
  expect({ gw_us, upstream_us, post_us, total_us }).toEqual({
    gw_us: 3000,
    upstream_us: 20_000,
    post_us: 0,
    total_us: 23_000,
  })
  expect(stages.recv_us).toBe(3000)
  expect(Object.values<number>(stages).reduce((sum, us) => sum + us, 0)).toBe(gw_us)
  expect(Object.keys(stages)).toEqual(expect.arrayContaining(['recv_us', 'auth_us', 'route_us', 'hold_us']))
  expect(JSON.stringify(body)).not.toContain(PROMPT)
  expect(JSON.stringify(body)).not.toContain('sk-')
  expect((await world.call('GET', '/records')).body.data).toEqual([body])
})

test('200: a refusal has a record and no settlement', async () => {
  await using world = adminWorld()
  const response = await ask(world, { model: 'nope' }).answer
  await settleMicrotasks()
  const { body } = await world.call('GET', `/records/${response.headers.get('x-request-id')}`)
  expect(body).toMatchObject({ status: 404, error_code: 'model_not_found', attempts: [], settlement: null })
})

test('records are paged newest first', async () => {
  await using world = adminWorld()
  for (let at = 0; at < 3; at++) {
    await ask(world, { model: `nope-${at}` }).answer
    world.clock.advance(1)
  }
  await settleMicrotasks()
  const first = (await world.call('GET', '/records?limit=2')).body
  const rest = (await world.call('GET', `/records?limit=2&after=${first.next}`)).body
  const asked = [...first.data, ...rest.data].map(({ model_asked }) => model_asked)
  expect(asked).toEqual(['nope-2', 'nope-1', 'nope-0'])
  expect(rest).toMatchObject({ has_more: false, next: null })
  expect(await world.call('GET', '/records?after=17')).toMatchObject(refusal(400, 'invalid_request', 'after'))
})

test('404: no such record', async () => {
  await using world = adminWorld()
  expect(await world.call('GET', '/records/req_none')).toMatchObject(refusal(404, 'not_found'))
})
