import { describe, expect, test } from 'bun:test'
import type { Arrival } from '../../../src/pipeline/index.ts'
import { receiveHead } from '../../../src/pipeline/receive.ts'
import { isForm, receiveForm } from '../../../src/pipeline/receive-form.ts'
import { upload } from '../../support/ask.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { createHouseDouble } from '../../support/house.ts'
import { FORM_BOUNDARY, formBytes } from '../../support/wire-operations.ts'
import { callAt } from './support.ts'

const MB = 1024 * 1024
const model = { name: 'model', value: 'm' }
const file = (megabytes: number) => ({ name: 'file', fileName: 'a', value: Buffer.alloc(megabytes * MB) })

test('operations that are asked in forms are known by the surface’s dialect', () => {
  const asks = (operation: Arrival['operation'], surface: Arrival['surface'], type = 'multipart/form-data') =>
    isForm({ operation, surface, request: new Request('http://x', { headers: { 'content-type': type } }) })
  expect(asks('audio.transcriptions', 'openai')).toBe(true)
  expect(asks('images.edits', 'openrouter')).toBe(true)
  expect(asks('chat.completions', 'openai')).toBe(false)
  expect(asks('messages', 'anthropic')).toBe(false)
  expect(asks('audio.transcriptions', 'openrouter', 'Application/JSON; charset=utf-8')).toBe(false)
  expect(asks('audio.transcriptions', 'openai', 'text/plain')).toBe(true)
  expect(asks('audio.translations', 'openai', 'application/json')).toBe(true)
})

/** A form on its way in, of which so many bytes have come. */
async function receiving(body: Buffer, { sentBytes = body.length, declared = true, bodyBytesMax = 4 * MB } = {}) {
  const world = createHouseDouble({ settings: { bodyBytesMax, uploadBytesMax: 100 * MB } })
  const pieces = upload()
  const headers = {
    'content-type': `multipart/form-data; boundary=${FORM_BOUNDARY}`,
    ...(declared ? { 'content-length': String(body.length) } : {}),
  }
  const { call, house } = {
    ...callAt(world, { body: pieces.body, headers, operation: 'audio.transcriptions' }),
    ...world,
  }
  const reading = receiveForm(house, call, receiveHead(house, call, 100 * MB), null)
  reading.catch(() => {})
  for (let at = 0; at < sentBytes; at += 100_000) pieces.send(body.subarray(at, Math.min(sentBytes, at + 100_000)))
  if (sentBytes === body.length) pieces.end()
  await settleMicrotasks()
  return { world, reading, clock: world.clock }
}

describe('a form', () => {
  test('that is small is read whole', async () => {
    const body = formBytes(model, file(0.1))
    const { world, reading } = await receiving(body)
    await using _ = world
    const received = await reading
    expect(received.upload).toBeNull()
    expect(Buffer.from(received.body).equals(body)).toBe(true)
  })

  test('that is large is handed on once it says where it goes; one of no told length too', async () => {
    const body = formBytes(model, file(3))
    for (const declared of [true, false]) {
      const { world, reading } = await receiving(body, { sentBytes: 1.2 * MB, declared })
      await using _ = world
      const received = await reading
      expect(received.body.length).toBeGreaterThanOrEqual(MB)
      expect(received.upload?.bodyBytes).toBe(declared ? body.length : null)
      received.upload?.cancel()
    }
  })

  test('that says it last is read whole, within a bound', async () => {
    const body = formBytes(file(3), model)
    const whole = await receiving(body)
    await using _ = whole.world
    const received = await whole.reading
    expect([received.upload, Buffer.from(received.body).equals(body)]).toEqual([null, true])
    const bounded = await receiving(body, { bodyBytesMax: 2 * MB })
    await using __ = bounded.world
    await expect(bounded.reading).rejects.toMatchObject({ code: 'body_too_large', details: { param: 'model' } })
  })

  test('whose caller leaves while its key is looked up ends as that', async () => {
    await using world = createHouseDouble()
    const pieces = upload()
    const headers = { 'content-type': `multipart/form-data; boundary=${FORM_BOUNDARY}` }
    const { call } = callAt(world, { body: pieces.body, headers, operation: 'audio.transcriptions' })
    const lookup = Promise.withResolvers<void>()
    const reading = receiveForm(world.house, call, receiveHead(world.house, call, MB), lookup.promise)
    call.leave.fire('client')
    lookup.resolve()
    await expect(reading).rejects.toMatchObject({ code: 'client_closed_request' })
  })

  test('that does not come in time, or is none, ends', async () => {
    const late = await receiving(formBytes(model, file(3)), { sentBytes: 100 })
    await using _ = late.world
    late.clock.advance(60_000)
    await expect(late.reading).rejects.toMatchObject({ code: 'request_timeout' })
    const odd = await receiving(Buffer.from('what?'))
    await using __ = odd.world
    await expect(odd.reading).rejects.toMatchObject({ code: 'invalid_request' })
  })
})
