import { expect, test } from 'bun:test'
import { type MediaField, readMedia } from '../../../../src/dialects/openai/read-media.ts'
import { JsonReader } from '../../../../src/lib/index.ts'

const unitsOf = (field: MediaField, value: unknown): number =>
  readMedia(new JsonReader(Buffer.from(JSON.stringify(value))), field)

test('an image costs by its detail, not by its bytes', () => {
  expect(unitsOf('image_url', { url: 'https://a' })).toBe(1105)
  expect(unitsOf('image_url', { url: 'A'.repeat(100_000), detail: 'auto' })).toBe(1105)
  expect(unitsOf('image_url', { url: 'https://a', detail: 'low' })).toBe(85)
  expect(unitsOf('image_url', 'https://a')).toBe(1105)
})

test('audio and files cost by their bytes', () => {
  const base64 = 'A'.repeat(160_000) // 120,000 bytes
  expect(unitsOf('input_audio', { data: base64, format: 'mp3' })).toBe(300)
  expect(unitsOf('input_audio', { data: base64, format: 'wav' })).toBe(75)
  expect(unitsOf('file', { file_data: base64 })).toBe(2400)
  expect(unitsOf('file', { file_data: 'AAAA' })).toBe(1105)
})

test('what only the provider can see costs a flat sum', () => {
  expect(unitsOf('file', { file_id: 'file-1' })).toBe(8000)
  expect(unitsOf('video_url', { url: 'https://a' })).toBe(8000)
  expect(unitsOf('input_audio', null)).toBe(8000)
})
