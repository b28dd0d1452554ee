import { expect, test } from 'bun:test'
import { soundMs, WAVE_HEAD_BYTES } from '../../../../src/dialects/openai/sound-ms.ts'

function wave(bytesPerSecond: number): Buffer {
  const head = Buffer.alloc(WAVE_HEAD_BYTES)
  head.write('RIFF', 0)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(bytesPerSecond, 28)
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
  for (const start of [Buffer.from('ID3'), Buffer.alloc(44), wave(1), wave(4_000_000_000)])
    expect(soundMs({ bytes: 8000, start })).toEqual(expected)
})
