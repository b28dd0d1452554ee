import { expect, test } from 'bun:test'
import { soundMs, WAVE_HEAD_BYTES } from '../../../../src/dialects/openai/sound-ms.ts'

/** One channel of 16 bits, unless something else is said. */
function wave(bytesPerSecond: number, { format = 1, sampleRate = bytesPerSecond / 2 } = {}): Buffer {
  const head = Buffer.alloc(WAVE_HEAD_BYTES)
  head.write('RIFF', 0)
  head.write('WAVEfmt ', 8)
  head.writeUInt16LE(format, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(sampleRate, 24)
  head.writeUInt32LE(bytesPerSecond, 28)
  head.writeUInt16LE(16, 34)
  return head
}

test('WAV says how long it is', () => {
  expect(soundMs({ bytes: WAVE_HEAD_BYTES + 48_000, start: wave(32_000) })).toEqual({ ms: 1500, isExact: true })
  expect(soundMs({ bytes: 10, start: wave(32_000) })).toEqual({ ms: 0, isExact: true })
})

test('one whose size nobody told is not known exactly', () => {
  expect(soundMs({ bytes: null, start: wave(32_000) }).isExact).toBe(false)
  expect(soundMs({ bytes: null, start: Buffer.alloc(0) })).toEqual({ ms: 25 * 1024 * 256, isExact: false })
})

test('anything else is taken for 32 kbit/s, odd rates too', () => {
  const expected = { ms: 2000, isExact: false }
  for (const start of [Buffer.from('ID3'), Buffer.alloc(44), wave(2), wave(4_000_000_000)])
    expect(soundMs({ bytes: 8000, start })).toEqual(expected)
})

test('WAV whose bytes per second are not those of its samples, or whose samples are packed, is not known exactly', () => {
  const expected = { ms: 8000, isExact: false }
  for (const start of [wave(768_000, { sampleRate: 8000 }), wave(16_000, { format: 0x11 })])
    expect(soundMs({ bytes: 32_000, start })).toEqual(expected)
})
