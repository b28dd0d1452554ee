import type { SeenFile } from './operation-form.ts'

/**
 * How long a sound is, as its file says: exactly for WAV, whose head says what a second takes; else as if it had 32 kbit/s, which
 * compressed speech seldom goes below. A file whose size nobody told counts as the largest that is usual.
 */
export function soundMs({ bytes, start }: SeenFile): { readonly ms: number; readonly isExact: boolean } {
  const size = bytes ?? UNTOLD_BYTES
  const head = Buffer.from(start.buffer, start.byteOffset, start.byteLength)
  const isWave =
    head.length >= WAVE_HEAD_BYTES &&
    head.toString('latin1', 0, 4) === 'RIFF' &&
    head.toString('latin1', 8, 16) === 'WAVEfmt '
  const perSecond = isWave ? bytesPerSecond(head) : 0
  if (perSecond < WAVE_RATE_MIN || perSecond > WAVE_RATE_MAX)
    return { ms: Math.ceil((size * 1000) / COMPRESSED_RATE), isExact: false }
  return { ms: Math.ceil((Math.max(0, size - WAVE_HEAD_BYTES) * 1000) / perSecond), isExact: bytes !== null }
}

/**
 * Players go by the rate of samples and their size, not by the bytes per second that are told beside them: where these are others, or samples are packed,
 * nothing is known. 0 then.
 */
function bytesPerSecond(head: Buffer): number {
  const byFormat = head.readUInt32LE(SAMPLE_RATE_AT) * head.readUInt16LE(CHANNELS_AT) * (head.readUInt16LE(BITS_AT) / 8)
  const isPlain = PLAIN_FORMATS.has(head.readUInt16LE(FORMAT_AT))
  return isPlain && byFormat === head.readUInt32LE(BYTE_RATE_AT) ? byFormat : 0
}

/** So much of a file's start must be seen. */
export const WAVE_HEAD_BYTES = 44
const FORMAT_AT = 20
const CHANNELS_AT = 22
const SAMPLE_RATE_AT = 24
const BYTE_RATE_AT = 28
const BITS_AT = 34
/** PCM, floats, A-law, µ-law, and the extended form of these. */
const PLAIN_FORMATS: ReadonlySet<number> = new Set([1, 3, 6, 7, 0xfffe])
const WAVE_RATE_MIN = 1000 // bytes per second
const WAVE_RATE_MAX = 96_000 * 4 * 2
const COMPRESSED_RATE = 4000
const UNTOLD_BYTES = 25 * 1024 * 1024
