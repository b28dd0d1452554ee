import { JsonKeys, type JsonReader } from '../../lib/index.ts'

/**
 * Reads the value of a content part's media field and reckons its tokens: for the hold, and for an ending without reported
 * usage. The figures are on the safe side of what OpenAI's documentation says (images: 85 at low detail, at most
 * 85 + 6 × 170 for the tiles of usual sizes; audio: 10 tokens a second; files: a page costs its text and its picture).
 */
export function readMedia(reader: JsonReader, field: MediaField, onFileId?: (id: string) => void): number {
  const seen: MediaSeen = { dataBytes: 0, isLow: false, isWave: false }
  if (reader.peek() === 'object') {
    reader.enter()
    while (reader.nextKey()) readMember(reader, seen, onFileId)
  } else reader.skip()
  if (field === 'image_url') return seen.isLow ? IMAGE_LOW_UNITS : IMAGE_UNITS
  if (seen.dataBytes === 0) return UNSEEN_UNITS
  if (field === 'input_audio')
    return Math.ceil(seen.dataBytes / (seen.isWave ? WAVE_BYTES_PER_UNIT : AUDIO_BYTES_PER_UNIT))
  return unitsOfFile(seen.dataBytes)
}

/** Of a file with so many bytes; 0: it is known to the provider only. */
export const unitsOfFile = (dataBytes: number): number =>
  dataBytes === 0 ? UNSEEN_UNITS : Math.max(IMAGE_UNITS, Math.ceil(dataBytes / FILE_BYTES_PER_UNIT))

/** Of a kept file with so many bytes, those that one known by its id alone is not reckoned for. */
export const tokensBeyondUsual = (dataBytes: number): number => Math.max(0, unitsOfFile(dataBytes) - UNSEEN_UNITS)

/** The fields of a content part that hold no text but media. */
export const MEDIA_FIELDS = ['image_url', 'input_audio', 'file', 'video_url'] as const
export type MediaField = (typeof MEDIA_FIELDS)[number]

const IMAGE_LOW_UNITS = 85
export const IMAGE_UNITS = 1105
const AUDIO_BYTES_PER_UNIT = 400 // 32 kbit/s
const WAVE_BYTES_PER_UNIT = 1600 // 16 kHz, 8 bit
const FILE_BYTES_PER_UNIT = 50 // a dense page of a PDF: 50 KB, 1,000 tokens
const UNSEEN_UNITS = 8000 // known to the provider only, by its id or address
const BASE64_RATIO = 3 / 4

interface MediaSeen {
  dataBytes: number
  isLow: boolean
  isWave: boolean
}

const MEMBERS = new JsonKeys(['data', 'file_data', 'detail', 'format', 'file_id'])
const VALUES = new JsonKeys(['low', 'wav'])

function readMember(reader: JsonReader, seen: MediaSeen, onFileId?: (id: string) => void): void {
  const member = reader.key(MEMBERS)
  const isString = reader.peek() === 'string'
  reader.skip()
  if (member === undefined || !isString) return
  if (member === 'data' || member === 'file_data') seen.dataBytes += reader.stringBytes * BASE64_RATIO
  else if (member === 'file_id') onFileId?.(String(reader.value()))
  else if (member === 'detail') seen.isLow = reader.stringIn(VALUES) === 'low'
  else seen.isWave = reader.stringIn(VALUES) === 'wav'
}
