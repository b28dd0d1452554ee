import type { SeenFile } from './operation-form.ts'

/**
 * How long a sound is, as its file says: exactly for WAV, whose head names its bytes per second; else as if it had 32 kbit/s, which
 * compressed speech seldom goes below. A file whose size nobody told counts as the largest that is usual.
 */
export function soundMs({ bytes, start }: SeenFile): { readonly ms: number; readonly isExact: boolean } {
  const size = bytes ?? UNTOLD_BYTES
  const head = Buffer.from(start.buffer, start.byteOffset, start.byteLength)
  const isWave =
    head.length >= WAVE_HEAD_BYTES &&
    head.toString('latin1', 0, 4) === 'RIFF' &&
    head.toString('latin1', 8, 16) === 'WAVEfmt '
  const perSecond = isWave ? head.readUInt32LE(BYTE_RATE_AT) : 0
  if (perSecond < WAVE_RATE_MIN || perSecond > WAVE_RATE_MAX)
    return { ms: Math.ceil((size * 1000) / COMPRESSED_RATE), isExact: false }
  return { ms: Math.ceil((Math.max(0, size - WAVE_HEAD_BYTES) * 1000) / perSecond), isExact: bytes !== null }
}

/** So much of a file's start must be seen. */
export const WAVE_HEAD_BYTES = 44
const BYTE_RATE_AT = 28
const WAVE_RATE_MIN = 1000 // bytes per second
const WAVE_RATE_MAX = 96_000 * 4 * 2
const COMPRESSED_RATE = 4000
const UNTOLD_BYTES = 25 * 1024 * 1024
