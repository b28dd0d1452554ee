import { describe, expect, test } from 'bun:test'
import zlib from 'node:zlib'
import { type PackedEncoding, Unpacker } from '../../../src/lib/unpacker.ts'
import { seededRandom } from '../../support/house.ts'
import { PACKINGS, type Packing, packedFlushed } from '../../support/packed.ts'

const TEXT = `${'Hello, packed world. '.repeat(20)}${'äöü💡'.repeat(9)}`

/** An unpacker, and what it has told. */
function opened(encoding: PackedEncoding) {
  const { promise, resolve } = Promise.withResolvers<'end' | string>()
  const told = { text: '', bytes: 0, ready: 0 }
  let heard = (): void => {}
  const unpacker = new Unpacker(encoding, {
    unpacked(bytes) {
      told.bytes += bytes.byteLength
      if (told.bytes < 100_000) told.text += Buffer.from(bytes).toString('latin1')
      heard()
    },
    complete: () => resolve('end'),
    broken: resolve,
    ready: () => {
      told.ready++
    },
  })
  return {
    unpacker,
    told,
    over: promise,
    text: () => Buffer.from(told.text, 'latin1').toString(),
    /** Resolves when the text so far is this. */
    async until(text: string): Promise<void> {
      while (Buffer.from(told.text, 'latin1').toString() !== text)
        await new Promise<void>((resolve) => {
          heard = resolve
        })
    },
  }
}

/** Unpacks these pieces to the end. */
async function unpacked(encoding: PackedEncoding, pieces: readonly Uint8Array[]) {
  const { unpacker, over, text } = opened(encoding)
  for (const piece of pieces) unpacker.push(piece)
  unpacker.finish()
  return { over: await over, text: text() }
}

const splitAt = (bytes: Uint8Array, at: number) => [bytes.subarray(0, at), bytes.subarray(at)]

describe.each(PACKINGS)('$name', (packing: Packing) => {
  const { encoding, pack } = packing
  const packed = pack(Buffer.from(TEXT))

  test('a body is unpacked, however it is split', async () => {
    const whole = { over: 'end', text: TEXT }
    expect(await unpacked(encoding, [packed])).toEqual(whole)
    expect(
      await unpacked(
        encoding,
        Array.from(packed, (byte) => Uint8Array.of(byte)),
      ),
    ).toEqual(whole)
    for (let at = 0; at <= packed.length; at++) expect(await unpacked(encoding, splitAt(packed, at))).toEqual(whole)
  })

  test('what was flushed comes out before anything follows it', async () => {
    const parts = ['one\n\n', 'two\n\n', 'three\n\n']
    const pieces = await packedFlushed(packing, parts)
    const { unpacker, until, over } = opened(encoding)
    let expected = ''
    for (const [at, piece] of pieces.entries()) {
      unpacker.push(piece)
      expected += parts[at]
      await until(expected)
    }
    unpacker.finish()
    expect(await over).toBe('end')
  })
})

describe.each(PACKINGS)('$name that is not what it says', ({ encoding, pack }: Packing) => {
  const packed = pack(Buffer.from(TEXT))

  test('cut short anywhere is broken', async () => {
    for (let size = 1; size < packed.length; size++)
      expect((await unpacked(encoding, [packed.subarray(0, size)])).over).toStartWith(
        `the body's encoding (${encoding}) is `,
      )
  })

  test('bytes behind its end are broken, in the same packet and in one of their own', async () => {
    const tail = Buffer.from('and more')
    expect((await unpacked(encoding, [Buffer.concat([packed, tail])])).over).not.toBe('end')
    expect((await unpacked(encoding, [packed, tail])).over).not.toBe('end')
  })

  test('a body of another kind is broken', async () => {
    expect((await unpacked(encoding, [Buffer.from('{"choices":[]}')])).over).not.toBe('end')
  })

  test('a bomb goes off before it fills anything', async () => {
    const bomb = pack(Buffer.alloc(16 * 1024 * 1024, 'z'))
    const { unpacker, told, over } = opened(encoding)
    unpacker.push(bomb)
    unpacker.finish()
    expect(await over).toContain('unpacks to more than 256 times its size')
    expect(told.bytes).toBeLessThan(Math.max(1024 * 1024, bomb.length * 256) + 64 * 1024)
  })
})

describe.each(PACKINGS)('$name', ({ encoding, pack }: Packing) => {
  const packed = pack(Buffer.from(TEXT))

  test('an empty body is empty', async () => {
    expect(await unpacked(encoding, [])).toEqual({ over: 'end', text: '' })
    expect(await unpacked(encoding, [new Uint8Array(0)])).toEqual({ over: 'end', text: '' })
  })

  test('paused it gives nothing out; stopped neither, ever', async () => {
    const { unpacker, over, text } = opened(encoding)
    unpacker.pause()
    unpacker.push(packed)
    unpacker.finish()
    const stopped = opened(encoding)
    stopped.unpacker.push(packed)
    stopped.unpacker.finish()
    stopped.unpacker.stop()
    const other = await unpacked(encoding, [packed]) // as long as unpacking takes
    expect([other.over, text(), stopped.text()]).toEqual(['end', '', ''])
    unpacker.resume()
    expect([await over, text()]).toEqual(['end', TEXT])
  })
})

test('several gzip members, and several zstd frames, are one body', async () => {
  const [one, two] = [Buffer.from('one'), Buffer.from('two')]
  expect(await unpacked('gzip', [zlib.gzipSync(one), zlib.gzipSync(two)])).toEqual({ over: 'end', text: 'onetwo' })
  const frames = [zlib.zstdCompressSync(one), zlib.zstdCompressSync(two)]
  expect(await unpacked('zstd', frames)).toEqual({ over: 'end', text: 'onetwo' })
})

test('a wrong checksum is broken', async () => {
  const packed = Buffer.from(zlib.gzipSync(TEXT))
  packed[packed.length - 6] = (packed[packed.length - 6] ?? 0) ^ 1
  expect((await unpacked('gzip', [packed])).over).not.toBe('end')
})

test('a zstd window of more than 8 MB is refused', async () => {
  const { ZSTD_c_windowLog: windowLog } = zlib.constants
  for (const [log, isTaken] of [
    [23, true],
    [24, false],
  ] as const) {
    const packer = zlib.createZstdCompress({ params: { [windowLog]: log } })
    const pieces: Buffer[] = []
    packer.on('data', (bytes: Buffer) => pieces.push(bytes))
    packer.write('a little')
    await new Promise<void>((flushed) => packer.flush(flushed))
    packer.end(' more')
    await new Promise((ended) => packer.on('end', ended))
    expect((await unpacked('zstd', pieces)).over === 'end').toBe(isTaken)
  }
})

test('who pushes faster than is taken is told so, and when to go on', async () => {
  const { unpacker, told, over } = opened('gzip')
  const packed = zlib.gzipSync(seededRandom().bytes(600_000))
  unpacker.pause()
  const answers: boolean[] = []
  for (let at = 0; at < packed.length; at += 8192) answers.push(unpacker.push(packed.subarray(at, at + 8192)))
  expect(answers.at(-1)).toBe(false)
  expect(told.ready).toBe(0)
  unpacker.resume()
  unpacker.finish()
  expect(await over).toBe('end')
  expect(told.bytes).toBe(600_000)
})
