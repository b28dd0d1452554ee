import { describe, expect, test } from 'bun:test'
import { receiveBody, receiveHead } from '../../../src/pipeline/receive.ts'
import { type ArrivalSpec, upload } from '../../support/ask.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { createHouseDouble, type HouseSpec } from '../../support/house.ts'
import { callAt } from './support.ts'

const head = (headers: Readonly<Record<string, string>> | null, spec: HouseSpec = {}) => {
  const world = createHouseDouble(spec)
  return receiveHead(world.house, callAt(world, { headers }).call)
}

describe('the head', () => {
  test('all three key headers count, each secret once, in their order', () => {
    expect(head({ authorization: 'Bearer one', 'x-api-key': 'two', 'api-key': 'three' }).secrets).toEqual([
      'one',
      'two',
      'three',
    ])
    expect(head({ authorization: 'bearer   one ', 'x-api-key': 'one', 'api-key': '' }).secrets).toEqual(['one'])
    expect(head(null).secrets).toEqual([])
  })

  test('another scheme than Bearer is no key', () => {
    expect(head({ authorization: 'Basic dXNlcjpwYXNz' }).secrets).toEqual([])
    expect(head({ authorization: 'Bearer two words' }).secrets).toEqual([])
  })

  test('is refused when it is larger than 32 KB', () => {
    expect(() => head({ 'x-long': 'x'.repeat(32_768) })).toThrow(
      expect.objectContaining({ code: 'head_too_large', status: 431 }),
    )
  })

  test('a body that is declared too large is refused before it comes', () => {
    expect(head({ 'content-length': '1000000' }).bodyBytesDeclared).toBe(1_000_000)
    expect(() => head({ 'content-length': '1000001' })).toThrow(
      expect.objectContaining({ code: 'body_too_large', status: 413 }),
    )
  })

  test('is refused while the gateway drains, or holds as many requests as it may', () => {
    const world = createHouseDouble({ limits: { requestsInFlightMax: 1 } })
    const { call } = callAt(world)
    world.traffic.add('one', call)
    expect(receiveHead(world.house, call).bodyBytesDeclared).toBeNull()
    world.traffic.add('two', call)
    expect(() => receiveHead(world.house, call)).toThrow(
      expect.objectContaining({ code: 'too_many_requests_in_flight', status: 503 }),
    )
    world.traffic.beginDrain()
    expect(() => receiveHead(world.house, call)).toThrow(expect.objectContaining({ code: 'shutting_down' }))
  })
})

/** A body on its way in. */
function receiving(spec: ArrivalSpec, { key = null, ...house }: HouseSpec & { key?: Promise<unknown> | null } = {}) {
  const world = createHouseDouble(house)
  const caller = callAt(world, spec)
  const read = receiveBody(world.house, caller.call, receiveHead(world.house, caller.call), key)
  read.catch(() => {})
  return { ...caller, world, read }
}

const textOf = async (read: Promise<Uint8Array>): Promise<string> => Buffer.from(await read).toString()

describe('the body', () => {
  test('whole, as it is declared', async () => {
    const { world, read, listeners } = receiving({ body: 'hello', headers: { 'content-length': '5' } })
    await using _ = world
    expect(await textOf(read)).toBe('hello')
    expect(listeners()).toBe(0)
  })

  test('whole, in pieces', async () => {
    const pieces = upload()
    const { world, read } = receiving({ body: pieces.body })
    await using _ = world
    pieces.send('hel')
    pieces.send('lo')
    pieces.end()
    expect(await textOf(read)).toBe('hello')
  })

  test('none is an empty one', async () => {
    const { world, read } = receiving({ body: null })
    await using _ = world
    expect(await textOf(read)).toBe('')
  })

  test('in pieces that are more than the bound: refused at the piece too many', async () => {
    const pieces = upload()
    const { world, read } = receiving({ body: pieces.body }, { settings: { bodyBytesMax: 10 } })
    await using _ = world
    pieces.send('1234567890')
    await settleMicrotasks()
    expect(world.clock.timers).toBe(1)
    pieces.send('1')
    await expect(read).rejects.toMatchObject({
      code: 'body_too_large',
      status: 413,
      details: { headers: { connection: 'close' } },
    })
  })

  test('has 60 s', async () => {
    const pieces = upload()
    const { world, read } = receiving({ body: pieces.body })
    await using _ = world
    pieces.send('hel')
    await settleMicrotasks()
    world.clock.advance(60_000)
    await expect(read).rejects.toMatchObject({
      code: 'request_timeout',
      status: 408,
      details: { headers: { connection: 'close' } },
    })
  })

  test('is not waited for once the gateway drains', async () => {
    const pieces = upload()
    const { world, call, read } = receiving({ body: pieces.body })
    await using _ = world
    world.traffic.add(call.requestId, call)
    pieces.send('hel')
    await settleMicrotasks()
    world.traffic.beginDrain()
    await expect(read).rejects.toMatchObject({ code: 'shutting_down', details: { headers: { connection: 'close' } } })
    world.traffic.end(call.requestId, false)
  })

  test('whose caller leaves', async () => {
    const { world, read, leave } = receiving({ body: upload().body })
    await using _ = world
    leave()
    await expect(read).rejects.toMatchObject({ code: 'client_closed_request' })
  })

  test('that breaks', async () => {
    const pieces = upload()
    const { world, read } = receiving({ body: pieces.body })
    await using _ = world
    pieces.fail(new Error('inner words'))
    const error = await read.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'invalid_request', status: 400 })
    expect(String(error)).not.toContain('inner words')
  })
})

describe('bodies of keys that are not known yet', () => {
  const MEGABYTES_64 = 64 * 1024 * 1024

  test('are counted together until the key is known, or the body is here', async () => {
    const key = Promise.withResolvers<void>()
    const pieces = upload()
    const { world, read } = receiving({ body: pieces.body }, { key: key.promise })
    await using _ = world
    expect(world.traffic.unknownBytes).toBe(1_000_000)
    key.resolve()
    await settleMicrotasks()
    expect(world.traffic.unknownBytes).toBe(0)
    pieces.end()
    await read
    expect(world.traffic.unknownBytes).toBe(0)
  })

  test('count by what they declare', async () => {
    const { world, read, leave } = receiving(
      { body: 'hello', headers: { 'content-length': '5' } },
      { key: new Promise(() => {}) },
    )
    await using _ = world
    expect(world.traffic.unknownBytes).toBe(5)
    leave()
    await read.catch(() => {})
  })

  test('of a known key count nothing', async () => {
    const { world, read } = receiving({ body: 'hello' })
    await using _ = world
    expect(world.traffic.unknownBytes).toBe(0)
    await read
  })

  test('past the bound the key comes first: nothing is read before', async () => {
    const key = Promise.withResolvers<void>()
    const world = createHouseDouble()
    await using _ = world
    world.traffic.unknownBytes = MEGABYTES_64 - 999_999
    const { call } = callAt(world, { body: 'hello' })
    const read = receiveBody(world.house, call, receiveHead(world.house, call), key.promise)
    await settleMicrotasks()
    expect(world.clock.timers).toBe(0)
    key.resolve()
    expect(await textOf(read)).toBe('hello')
    expect(world.traffic.unknownBytes).toBe(MEGABYTES_64 - 999_999)
    world.traffic.unknownBytes = 0
  })

  test('past the bound a bad key is refused without its body', async () => {
    const world = createHouseDouble()
    await using _ = world
    world.traffic.unknownBytes = MEGABYTES_64
    const { call } = callAt(world, { body: 'hello' })
    const read = receiveBody(world.house, call, receiveHead(world.house, call), Promise.reject(new Error('bad key')))
    await expect(read).rejects.toThrow('bad key')
    expect(world.traffic.unknownBytes).toBe(MEGABYTES_64)
    world.traffic.unknownBytes = 0
  })

  test('that turns out bad while its body comes stays counted until the end', async () => {
    const key = Promise.withResolvers<void>()
    const pieces = upload()
    const { world, read } = receiving({ body: pieces.body }, { key: key.promise })
    await using _ = world
    key.reject(new Error('bad key'))
    await settleMicrotasks()
    expect(world.traffic.unknownBytes).toBe(1_000_000)
    pieces.end()
    await read
    expect(world.traffic.unknownBytes).toBe(0)
  })
})
