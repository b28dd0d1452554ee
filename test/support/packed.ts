import { once } from 'node:events'
import type { Transform } from 'node:stream'
import zlib from 'node:zlib'
import type { PackedEncoding } from '../../src/lib/index.ts'

/** What a provider may do with a body: the encodings, and the two that have a second form. */
export const PACKINGS: readonly Packing[] = [
  { name: 'gzip', encoding: 'gzip', pack: zlib.gzipSync, open: () => zlib.createGzip() },
  { name: 'deflate', encoding: 'deflate', pack: zlib.deflateSync, open: () => zlib.createDeflate() },
  { name: 'raw deflate', encoding: 'deflate', pack: zlib.deflateRawSync, open: () => zlib.createDeflateRaw() },
  { name: 'br', encoding: 'br', pack: zlib.brotliCompressSync, open: () => zlib.createBrotliCompress() },
  { name: 'zstd', encoding: 'zstd', pack: zlib.zstdCompressSync, open: () => zlib.createZstdCompress() },
  {
    name: 'zstd with a checksum',
    encoding: 'zstd',
    pack: (bytes) => zlib.zstdCompressSync(bytes, CHECKSUM),
    open: () => zlib.createZstdCompress(CHECKSUM),
  },
]

export interface Packing {
  readonly name: string
  readonly encoding: PackedEncoding
  readonly pack: (bytes: Uint8Array) => Buffer
  readonly open: () => Transform
}

const CHECKSUM = { params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } }

/** The texts as one body, flushed behind each: the piece of it that belongs to each text. The last one ends it. */
export async function packedFlushed({ open }: Packing, texts: readonly (string | Uint8Array)[]): Promise<Buffer[]> {
  const packer = open()
  let came: Buffer[] = []
  packer.on('data', (bytes: Buffer) => came.push(bytes))
  const pieces: Buffer[] = []
  for (const [at, text] of texts.entries()) {
    if (at < texts.length - 1) {
      packer.write(text)
      await new Promise<void>((flushed) => (packer as Transform & zlib.Zlib).flush(flushed))
    } else {
      packer.end(text)
      await once(packer, 'end')
    }
    pieces.push(Buffer.concat(came))
    came = []
  }
  return pieces
}
