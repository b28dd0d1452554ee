import { describe, expect, test } from 'bun:test'
import type { FormReader } from '../../../src/dialects/index.ts'
import { GatewayError } from '../../../src/domain/index.ts'
import { Upload } from '../../../src/pipeline/upload.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const BAD = new GatewayError('duplicate_field', 'twice', { param: 'model' })

/** The rest of a form that the test sends in pieces. */
function uploading({ readBytes = 0, uploadBytesMax = 1000 } = {}) {
  const clock = fakeClock()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const state = { cancelled: false, pushed: 0, ended: 0 }
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given
    },
    cancel() {
      state.cancelled = true
    },
  })
  const form: Pick<FormReader, 'push' | 'end'> = {
    push: (bytes) => {
      state.pushed += bytes.length
      if (bytes[0] === 0) throw BAD
    },
    end: () => {
      state.ended++
    },
  }
  const upload = new Upload(clock, {
    reader: body.getReader(),
    form,
    readBytes,
    bodyBytes: null,
    bytesMax: uploadBytesMax,
  })
  return {
    clock,
    upload,
    state,
    send: (...bytes: number[]) => controller?.enqueue(Uint8Array.from(bytes)),
    end: () => controller?.close(),
    breakOff: () => controller?.error(new Error('reset')),
  }
}

describe('the rest of a form', () => {
  test('is read piece by piece, through the form, up to its end', async () => {
    const { clock, upload, state, send, end } = uploading()
    expect(upload.hasBegun).toBe(false)
    send(1, 2)
    send(3)
    end()
    expect(await upload.read()).toEqual(Uint8Array.of(1, 2))
    expect(upload.hasBegun).toBe(true)
    expect(await upload.read()).toEqual(Uint8Array.of(3))
    expect(await upload.read()).toBeNull()
    expect(clock.timers).toBe(0)
    upload.cancel()
    expect(state).toEqual({ cancelled: false, pushed: 3, ended: 1 })
    expect(upload.fault).toBeNull()
  })

  test('that is no such form any more ends with its fault, before the bytes are passed on', async () => {
    const { upload, state, send } = uploading()
    send(0, 1)
    await expect(upload.read()).rejects.toBe(BAD)
    expect(upload.fault).toBe(BAD)
    expect(state.cancelled).toBe(true)
  })

  test('is bounded with what came before', async () => {
    const { upload, send } = uploading({ readBytes: 999 })
    send(1)
    expect(await upload.read()).toEqual(Uint8Array.of(1))
    send(1)
    await expect(upload.read()).rejects.toMatchObject({ code: 'body_too_large', status: 413 })
  })

  test('that does not come for a minute is given up, though not while nobody asks for it', async () => {
    const { clock, upload, state, send } = uploading()
    send(1)
    await upload.read()
    clock.advance(100_000)
    expect(upload.blameSender()).toBe(false)
    expect(upload.fault).toBeNull()
    const reading = upload.read()
    clock.advance(60_000)
    await expect(reading).rejects.toMatchObject({ code: 'request_timeout' })
    expect(state.cancelled).toBe(true)
    expect(clock.timers).toBe(0)
  })

  test('whose sender is waited for when time runs out is the sender’s fault', async () => {
    const { upload } = uploading()
    const reading = upload.read()
    expect(upload.blameSender()).toBe(true)
    await expect(reading).rejects.toMatchObject({ code: 'request_timeout' })
    await expect(upload.read()).rejects.toMatchObject({ code: 'request_timeout' })
  })

  test('that breaks off is a caller who left', async () => {
    const { upload, breakOff } = uploading()
    breakOff()
    await expect(upload.read()).rejects.toMatchObject({ code: 'client_closed_request' })
  })
})
