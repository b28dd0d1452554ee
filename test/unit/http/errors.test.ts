import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { GatewayError } from '../../../src/domain/index.ts'
import { edgeError, errorResponse } from '../../../src/http/errors.ts'

const SECRET = 'sk-that-nobody-may-read'

const body = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    address: Type.Optional(Type.Object({ city: Type.String() })),
    of: Type.Optional(Type.String({ pattern: '^req_', description: 'The `req_…` of an answer.' })),
  },
  { additionalProperties: false },
)

/** An edge with one route of each kind, and the error it made of what went wrong last. */
function edge() {
  const seen: GatewayError[] = []
  const app = new Elysia({ normalize: false })
    .onError((failure) => {
      const error = edgeError(failure, app.routes)
      seen.push(error)
      return errorResponse(error, 'req_1')
    })
    .post('/things', () => 'made', { body, parse: 'json' })
    .get('/things', () => 'all')
    .get('/things/:thing', () => 'one')
    .get('/files/*', () => 'file')
    .get('/bug', () => {
      throw new Error(`no such row: ${SECRET}`)
    })
    .get('/full', () => {
      throw new GatewayError('no_capacity', 'Full.', { retryAfterMs: 1200 })
    })
  const call = async (method: string, path: string, given?: string) => {
    const init = given === undefined ? { method } : { method, body: given }
    const response = await app.handle(new Request(`http://edge${path}`, init))
    return { response, status: response.status, body: JSON.parse(await response.text()) }
  }
  return { call, seen }
}

describe('an error at the edge', () => {
  test('a path that is not there is 404 and named, within bounds', async () => {
    const { call } = edge()
    const gone = await call('GET', '/gone')
    expect(gone).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found', message: expect.stringContaining('/gone') } },
    })
    expect(gone.response.headers.get('x-request-id')).toBe('req_1')
    expect(gone.response.headers.get('content-type')).toStartWith('application/json')
    const long = await call('GET', `/${'x'.repeat(5000)}`)
    expect(long.body.error.message.length).toBeLessThan(300)
  })

  test('a path that is only spelt like one that is there is 404: its method is not at fault', async () => {
    const seen = edgeError({ code: 'NOT_FOUND', error: null, request: new Request('http://edge/x/../things') }, [
      { method: 'GET', path: '/things' },
    ])
    expect(seen.code).toBe('not_found')
  })

  test.each([
    ['DELETE', '/things', 'GET, POST'],
    ['POST', '/things/7', 'GET'],
    ['PUT', '/files/a/b/c', 'GET'],
  ])('%s %s is 405 and says what is allowed', async (method, path, allowed) => {
    const { status, response, body } = await edge().call(method, path)
    expect({ status, code: body.error.code }).toEqual({ status: 405, code: 'method_not_allowed' })
    expect(response.headers.get('allow')).toBe(allowed)
  })

  test('a deeper path than a parameter has is not there', async () => {
    expect((await edge().call('POST', '/things/7/parts')).status).toBe(404)
  })

  test.each([
    ['a wrong type', { name: 7 }, 'name'],
    ['a missing field', {}, 'name'],
    ['a field of a field', { name: 'n', address: { city: 5 } }, 'address.city'],
    ['a field that is not known', { name: 'n', [SECRET]: 1 }, SECRET],
    ['a value out of bounds', { name: '' }, 'name'],
  ])('%s is 400 and names the field', async (_case, given, param) => {
    const { status, body } = await edge().call('POST', '/things', JSON.stringify(given))
    expect({ status, code: body.error.code, param: body.error.param }).toEqual({
      status: 400,
      code: 'invalid_request',
      param,
    })
  })

  test('the usual slips are told in plain words', async () => {
    const told = async (given: object) =>
      (await edge().call('POST', '/things', JSON.stringify(given))).body.error.message
    expect(await told({})).toBe("The request is not valid: 'name': it is missing.")
    expect(await told({ name: 'n', adress: 1 })).toBe(
      "The request is not valid: 'adress': there is no such field here.",
    )
    expect(await told({ name: '' })).toBe("The request is not valid: 'name': it is empty.")
    expect(await told({ name: 'n', of: 'x' })).toBe("The request is not valid: 'of': The `req_…` of an answer.")
  })

  test('what was given is not repeated', async () => {
    const { body } = await edge().call('POST', '/things', JSON.stringify({ name: { secret: SECRET } }))
    expect(JSON.stringify(body)).not.toContain(SECRET)
  })

  test('a body that is no JSON is 400', async () => {
    const { status, body } = await edge().call('POST', '/things', `{"name":"${SECRET}`)
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'invalid_json' })
    expect(JSON.stringify(body)).not.toContain(SECRET)
  })

  test('a bug is 500 in words that tell nothing, and its cause is kept for the log', async () => {
    const { call, seen } = edge()
    const { status, body } = await call('GET', '/bug')
    expect({ status, code: body.error.code }).toEqual({ status: 500, code: 'internal_error' })
    expect(JSON.stringify(body)).not.toContain(SECRET)
    expect(seen[0]?.details.internal).toContain(SECRET)
  })

  test('an error of the catalogue keeps its status and its headers', async () => {
    const { status, response, body } = await edge().call('GET', '/full')
    expect({ status, code: body.error.code, type: body.error.type }).toEqual({
      status: 503,
      code: 'no_capacity',
      type: 'server_error',
    })
    expect(response.headers.get('retry-after')).toBe('2')
  })
})
