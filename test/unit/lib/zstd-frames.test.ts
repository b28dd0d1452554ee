import { expect, test } from 'bun:test'
import zlib from 'node:zlib'
import { ZstdFrames } from '../../../src/lib/zstd-frames.ts'

const { ZSTD_c_checksumFlag, ZSTD_c_contentSizeFlag } = zlib.constants

/** Frames of every make: with and without checksum and content size, one block and several, run-length blocks, skippable ones. */
const FRAMES: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['empty', zlib.zstdCompressSync('')],
  ['short', zlib.zstdCompressSync('Hello')],
  ['with a checksum', zlib.zstdCompressSync('Hello', { params: { [ZSTD_c_checksumFlag]: 1 } })],
  ['without its size', zlib.zstdCompressSync('Hello', { params: { [ZSTD_c_contentSizeFlag]: 0 } })],
  ['of 300 bytes', zlib.zstdCompressSync(Buffer.from(Array.from({ length: 300 }, (_, n) => (n * 37) % 251)))],
  ['of several blocks', zlib.zstdCompressSync(Buffer.alloc(400_000, 'a'))],
  ['skippable', Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])],
]

const follow = (pieces: readonly Uint8Array[]): boolean => {
  const frames = new ZstdFrames()
  for (const piece of pieces) frames.push(piece)
  return frames.isWhole
}

test.each(FRAMES)('a frame that is %s is whole at its last byte, and nowhere before', (_name, bytes) => {
  for (let size = 0; size < bytes.length; size++) expect(follow([bytes.subarray(0, size)])).toBe(false)
  expect(follow([bytes])).toBe(true)
  expect(follow(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toBe(true)
})

test('frames follow one another', () => {
  const all = Buffer.concat(FRAMES.map(([, bytes]) => bytes))
  expect(follow([all])).toBe(true)
  expect(follow([all, Uint8Array.of(0x28)])).toBe(false)
})
