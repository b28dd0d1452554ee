import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { dialectOf } from '../../src/dialects/index.ts'
import { type PackedEncoding, Unpacker } from '../../src/lib/index.ts'
import { PACKINGS, packedFlushed } from '../support/packed.ts'
import { playStream, streamFixtures } from '../unit/dialects/suite.ts'

const runs = { numRuns: Math.ceil(Number(process.env.ANYROUTER_RUNS ?? 100) / 4) }
const FIXTURES = streamFixtures(join(import.meta.dir, '../fixtures/openai')).filter(({ bytes }) => bytes.length > 0)
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 })

/** The bytes in pieces, cut at these fractions of their length. */
function piecesOf(bytes: Uint8Array, fractions: readonly number[]): Uint8Array[] {
  const places = [0, ...fractions.map((part) => Math.floor(part * bytes.length)).sort((one, other) => one - other)]
  return places.map((place, at) => bytes.subarray(place, places[at + 1] ?? bytes.length))
}

/** What comes out, piece by piece. */
function unpacked(encoding: PackedEncoding, pieces: readonly Uint8Array[]): Promise<Uint8Array[]> {
  return new Promise((resolve, reject) => {
    const out: Uint8Array[] = []
    const unpacker = new Unpacker(encoding, {
      unpacked: (bytes) => out.push(bytes),
      complete: () => resolve(out),
      broken: (message) => reject(new Error(message)),
      ready: () => {},
    })
    for (const piece of pieces) unpacker.push(piece)
    unpacker.finish()
  })
}

describe.each(PACKINGS)('any packing and splitting of a stream gives the events of the plain one: $name', (packing) => {
  test('flushed anywhere, split anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...FIXTURES), cuts, cuts, async ({ view, bytes }, flushes, splits) => {
        const stream = () => dialectOf('openai').openStream(view)
        const texts = piecesOf(bytes, flushes).filter(({ length }) => length > 0)
        const packed = Buffer.concat(await packedFlushed(packing, texts))
        const out = await unpacked(packing.encoding, piecesOf(packed, splits))
        expect(Buffer.concat(out).equals(bytes)).toBe(true)
        expect(playStream(stream(), out)).toEqual(playStream(stream(), [bytes]))
      }),
      runs,
    )
  })

  test('cut short anywhere it is no whole body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...FIXTURES), cuts, fc.nat(), async ({ bytes }, splits, at) => {
        const packed = packing.pack(bytes)
        const cut = packed.subarray(0, 1 + (at % (packed.length - 1)))
        await expect(unpacked(packing.encoding, piecesOf(cut, splits))).rejects.toThrow('encoding')
      }),
      runs,
    )
  })
})
