import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { swagger } from '../../../src/http/swagger.ts'

const DIST = join(import.meta.dir, '../../../node_modules/swagger-ui-dist')
const page = { html: '<p>page', style: 'p{}', script: '1' }
let version = 1
const app = swagger({ page, document: () => JSON.stringify({ version }), ids: () => ({ 'x-request-id': 'req_1' }) })
const get = (path: string, encoding = 'identity') =>
  app.handle(new Request(`http://gateway${path}`, { headers: { 'accept-encoding': encoding } }))

test.each([
  ['/swagger', 'text/html; charset=utf-8', page.html],
  ['/swagger/page.css', 'text/css; charset=utf-8', page.style],
  ['/swagger/page.js', 'text/javascript; charset=utf-8', page.script],
  ['/swagger/ui.css', 'text/css; charset=utf-8', readFileSync(join(DIST, 'swagger-ui.css'), 'utf8')],
  ['/swagger/ui.js', 'text/javascript; charset=utf-8', readFileSync(join(DIST, 'swagger-ui-bundle.js'), 'utf8')],
])('%s is served as %s', async (path, type, body) => {
  const answer = await get(path)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe(type)
  expect(answer.headers.get('x-request-id')).toBe('req_1')
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect((await answer.text()) === body).toBe(true)
})

test('the policy lets in scripts and styles of our own alone, and none that stand in the page', async () => {
  const policy = (await get('/swagger')).headers.get('content-security-policy') ?? ''
  expect(policy.split('; ').sort()).toEqual([
    "base-uri 'none'",
    "connect-src 'self'",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "img-src 'self' data:",
    "script-src 'self'",
    "style-src 'self'",
  ])
})

test('what is large is packed for who takes it so', async () => {
  const plain = await (await get('/swagger/ui.js')).bytes()
  for (const encoding of ['gzip', 'br, gzip;q=0.5']) {
    const answer = await get('/swagger/ui.js', encoding)
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(answer.headers.get('vary')).toBe('accept-encoding')
    const packed = await answer.bytes()
    expect(packed.length).toBeLessThan(plain.length / 2)
    expect(Buffer.compare(gunzipSync(packed), plain)).toBe(0)
  }
  expect((await get('/swagger/ui.js', 'br')).headers.get('content-encoding')).toBeNull()
})

test('the document is the one of now, whenever it is asked for', async () => {
  expect(await (await get('/swagger/json')).json()).toEqual({ version: 1 })
  version = 2
  expect(await (await get('/swagger/json')).json()).toEqual({ version: 2 })
})
