import { describe, expect, test } from 'bun:test'
import { ask, chat, upload } from '../../support/ask.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { ACCOUNT, createHouseDouble, MODEL } from '../../support/house.ts'
import { reset, status } from '../../support/script.ts'
import { completion, done, finish, role, text, usage } from '../../support/sse.ts'
import { errorOf, reading, recordOf, settlementOf, textOf, timingOf } from './support.ts'

const DOLLAR = 1_000_000_000
const PLAIN = completion('Hello', 10, 5)
const PLAIN_COST = 10 * 1000 + 5 * 4000

describe('a request that is served', () => {
  test('plain: the provider gets its own model id, the caller the public one; charged by usage, recorded, timed', async () => {
    await using world = createHouseDouble()
    world.agent('north').plays(PLAIN)
    const { answer, idleLimit } = ask(world, { temperature: 0.7 })
    const response = await answer
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ model: MODEL, choices: [{ message: { content: 'Hello' } }] })
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
    expect(timingOf(response).has('upstream-1')).toBe(true)
    const [exchange] = world.agent('north').exchanges
    expect(exchange?.sentJson).toMatchObject({ model: 'north-m', temperature: 0.7 })
    expect(await settlementOf(world)).toMatchObject({
      end: 'settled',
      reason: 'completed',
      usageSource: 'reported',
      charged: PLAIN_COST,
    })
    expect(world.funds()).toMatchObject({ balance: DOLLAR - PLAIN_COST, held: 0 })
    expect(await recordOf(world)).toMatchObject({
      status: 200,
      errorCode: null,
      accountId: ACCOUNT,
      modelAsked: MODEL,
      backend: 'north',
      stream: false,
      attempts: [{ number: 1, backend: 'north', outcome: 'succeeded', absorbed: false }],
    })
    expect(idleLimit).toEqual(['lifted', 'restored'])
  })

  test('stream: it counts as in progress until its settlement', async () => {
    await using world = createHouseDouble()
    const { answer } = ask(world, { stream: true })
    const exchange = await world.agent('north').next()
    exchange.play({ status: 200 }, role(), text('Hel'))
    const response = await answer
    expect(response.headers.get('content-type')).toStartWith('text/event-stream')
    timingOf(response)
    const body = reading(response.body)
    expect(textOf((await body.next()) ?? '')).toBe('Hel')
    expect(world.traffic.inFlight).toBe(1)
    exchange.play(text('lo'), finish(), usage(10, 5), done(), { end: true })
    const rest = await body.rest()
    expect(textOf(rest)).toBe('lo')
    expect(rest).toEndWith('data: [DONE]\n\n')
    await settleMicrotasks()
    expect(world.traffic.inFlight).toBe(0)
    expect(await settlementOf(world)).toMatchObject({ reason: 'completed', charged: PLAIN_COST })
    expect(await recordOf(world)).toMatchObject({ status: 200, stream: true, attempts: [{ outcome: 'succeeded' }] })
  })

  test('an alias is shown as the model it names', async () => {
    await using world = createHouseDouble()
    world.agent('north').plays(PLAIN)
    const response = await ask(world, { model: 'm' }).answer
    expect(await response.json()).toMatchObject({ model: MODEL })
    expect(await recordOf(world)).toMatchObject({ modelAsked: 'm', model: MODEL })
  })

  test('a second backend serves what the first could not', async () => {
    await using world = createHouseDouble({ backends: { north: {}, south: {} } })
    world.agent('north').plays(status(500, { error: { message: 'boom' } }))
    world.agent('south').plays(PLAIN)
    const response = await ask(world).answer
    expect(response.status).toBe(200)
    expect([...timingOf(response).keys()]).toEqual(
      expect.arrayContaining(['upstream-1', 'upstream-2', 'upstream-wait']),
    )
    expect(await settlementOf(world)).toMatchObject({ charged: PLAIN_COST, covered: { backend: 'south' } })
    expect(await recordOf(world)).toMatchObject({
      backend: 'south',
      attempts: [{ outcome: 'failed', status: 500 }, { outcome: 'succeeded' }],
    })
  })
})

describe('a request that is refused before a hold', () => {
  const cases: [
    name: string,
    body: object | string,
    headers: Record<string, string> | null,
    code: string,
    at: number,
  ][] = [
    ['no key', {}, null, 'missing_api_key', 401],
    ['an unknown key', {}, { authorization: 'Bearer sk-nobody' }, 'invalid_api_key', 401],
    ['a body too large', {}, { 'content-length': '1000001' }, 'body_too_large', 413],
    ['no JSON', '{"model":', {}, 'invalid_json', 400],
    ['no messages', '{"model":"m"}', {}, 'invalid_request', 400],
    ['no such model', { model: 'acme/n' }, {}, 'model_not_found', 404],
    ['no credit', { max_tokens: 1000, n: 1000 }, {}, 'insufficient_credits', 402],
  ]
  test.each(cases)('%s', async (_name, body, headers, code, at) => {
    await using world = createHouseDouble()
    const { answer, idleLimit } = ask(world, body, { headers })
    const response = await answer
    const timing = timingOf(response)
    expect(timing.has('upstream')).toBe(false)
    expect(await errorOf(response)).toMatchObject({ status: at, error: { code } })
    expect(response.headers.get('x-request-id')).toStartWith('req_')
    expect(await recordOf(world)).toMatchObject({ status: at, errorCode: code, attempts: [] })
    expect(world.store.tables.settlements.size + world.store.tables.holds.size).toBe(0)
    expect(world.agent('north').exchanges).toHaveLength(0)
    expect(idleLimit.at(-1)).toBe('restored')
  })

  test('while draining: 503, nothing is begun', async () => {
    await using world = createHouseDouble()
    world.traffic.beginDrain()
    const response = await ask(world).answer
    expect(await errorOf(response)).toMatchObject({ status: 503, error: { code: 'shutting_down' } })
    expect(response.headers.get('retry-after')).toBe('1')
  })

  test('a key that is revoked while the body comes, after it was read', async () => {
    await using world = createHouseDouble()
    const { body, send, end } = upload()
    const { answer } = ask(world, body)
    send(chat().slice(0, 20))
    await settleMicrotasks() // the key is read
    await world.house.accounts.revokeKey('key_test')
    send(chat().slice(20))
    end()
    expect(await errorOf(await answer)).toMatchObject({ status: 401, error: { code: 'invalid_api_key' } })
  })

  test('a writer that does not accept: 503 before anything is sent', async () => {
    await using world = createHouseDouble()
    world.store.disk.fail()
    await world.house.accounts.createAccount({ name: 'x', kind: 'prepaid' }).catch(() => {}) // the commit that fails
    const response = await ask(world).answer
    expect(await errorOf(response)).toMatchObject({ status: 503, error: { code: 'storage_unavailable' } })
    expect(world.agent('north').exchanges).toHaveLength(0)
  })
})

describe('no attempt serves', () => {
  test('voided, with the list of attempts', async () => {
    await using world = createHouseDouble({ backends: { north: {}, south: {} } })
    world.agent('north').plays({ status: 200 }, reset())
    world.agent('south').plays(status(500))
    const response = await ask(world).answer
    timingOf(response)
    const { status: code, error } = await errorOf(response)
    expect(code).toBe(502)
    expect(error.attempts).toEqual([
      { backend: 'north', outcome: 'failed', status: null, reason: 'reset' },
      { backend: 'south', outcome: 'failed', status: 500, reason: 'status' },
    ])
    expect(await settlementOf(world)).toMatchObject({ end: 'voided', reason: 'no_answer', charged: 0 })
    expect(await recordOf(world)).toMatchObject({ status: 502, errorCode: 'provider_failed' })
  })
})
