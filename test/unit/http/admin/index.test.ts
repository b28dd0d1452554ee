import { expect, test } from 'bun:test'
import { adminWorld, refusal } from './support.ts'

test.each([
  ['DELETE', '/accounts', 'GET, POST'],
  ['PUT', '/accounts/acc_test', 'GET, PATCH'],
  ['GET', '/keys/key_test/revoke', 'POST'],
  ['GET', '/ledger/verify', 'POST'],
  ['POST', '/slots', 'GET'],
])('405 with Allow: %s %s', async (method, path, allow) => {
  await using world = adminWorld()
  const answer = await world.call(method, path)
  expect(answer).toMatchObject(refusal(405, 'method_not_allowed'))
  expect(answer.headers.get('allow')).toBe(allow)
})

test.each(['/nothing', '/accounts/a/b', '/ledger', '//accounts', `/${'x'.repeat(5000)}`])('404: %s', async (path) => {
  await using world = adminWorld()
  const answer = await world.call('GET', path)
  expect(answer).toMatchObject(refusal(404, 'not_found'))
  expect(answer.body.error.message.length).toBeLessThan(400)
})

test('400: a path that is not validly encoded', async () => {
  await using world = adminWorld()
  for (const path of ['/accounts/%zz', '/records/%', '/keys/%ff/revoke']) {
    const answer = await world.call('GET', path)
    expect(answer).toMatchObject(refusal(400, 'invalid_request'))
  }
})

test('400: a Host header that names no host is told as that', async () => {
  await using world = adminWorld()
  using server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => world.app.handle(request) })
  const answer = await fetch(`${server.url}admin/v1/slots`, { headers: { host: 'a b' } })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('does not name a host')
})

test.each([
  ['nothing', '', 'is empty'],
  ['cut off', '{"name":"a",', 'line 1, column 13'],
  ['a second line at fault', '{"name":"a"\n"kind":"prepaid"}', 'line 2, column 1'],
  ['two documents', '{"name":"a"}{"name":"b"}', 'column 13'],
  ['a form', 'name=sk-ar-v1-canary0123456789', 'line 1, column 1'],
])('400 with the position: %s', async (_what, body, place) => {
  await using world = adminWorld()
  const answer = await world.call('POST', '/accounts', body)
  expect(answer).toMatchObject(refusal(400, 'invalid_json'))
  expect(answer.body.error.message).toContain(place)
  expect(answer.body.error.message).not.toContain('canary')
  expect(world.store.tables.accounts.size).toBe(1)
})

test('400: a body that is no UTF-8, and nothing is kept of it', async () => {
  await using world = adminWorld()
  const body = new Uint8Array([...new TextEncoder().encode('{"name":"'), 0xe9, 0xff, ...new TextEncoder().encode('"}')])
  const answer = await world.app.handle(new Request('http://admin/admin/v1/accounts', { method: 'POST', body }))
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({
    error: { code: 'invalid_json', message: expect.stringContaining('UTF-8') },
  })
  expect(world.store.tables.accounts.size).toBe(1)
})

test.each(['[]', 'null', '5', '"sk-ar-v1-canary0123456789"', '[{"name":"a"}]'])(
  '400: a body that is %s',
  async (body) => {
    await using world = adminWorld()
    const answer = await world.call('POST', '/accounts', body)
    expect(answer).toMatchObject(refusal(400, 'invalid_request'))
    expect(JSON.stringify(answer.body)).not.toContain('canary')
  },
)

test('an error tells the field, and never what was given', async () => {
  await using world = adminWorld()
  const canary = 'sk-ar-v1-canary0123456789'
  const bodies = [
    { name: 'a', kind: canary },
    { name: [canary] },
    { name: canary.repeat(20) },
    { [canary.slice(0, 8)]: canary, name: 'a' },
  ]
  for (const body of bodies) {
    const answer = await world.call('POST', '/accounts', body)
    expect(answer.status).toBe(400)
    expect(JSON.stringify(answer.body)).not.toContain('canary')
  }
})

test('500: a bug is told without its text, which is in the log', async () => {
  await using world = adminWorld()
  Object.assign(world.store.reader, { records: () => Promise.reject(new Error('canary at /home/operator')) })
  const answer = await world.call('GET', '/records')
  expect(answer).toMatchObject(refusal(500, 'internal_error'))
  expect(JSON.stringify(answer.body)).not.toContain('canary')
  const requestId = answer.headers.get('x-request-id')
  expect(world.takeErrors()).toMatchObject([
    { event: 'admin', fields: { request_id: requestId, internal: expect.stringContaining('canary at') } },
  ])
})
