import { describe, expect, test } from 'bun:test'
import { ContentSum, readContent } from '../../../../src/dialects/anthropic/read-content.ts'
import { JsonReader } from '../../../../src/lib/index.ts'

function read(content: unknown): ContentSum {
  const sum = new ContentSum()
  readContent(new JsonReader(Buffer.from(JSON.stringify(content))), sum)
  return sum
}
const base64 = (bytes: number, mediaType = 'application/pdf') => ({
  data: 'A'.repeat(bytes),
  media_type: mediaType,
  type: 'base64',
})

describe('text', () => {
  test('is that of blocks too, of tool results and tool input with its names', () => {
    expect(read('wörld').textBytes).toBe(6)
    expect(read([{ type: 'text', text: 'abc', cache_control: { type: 'ephemeral' } }]).textBytes).toBe(4 + 3)
    const nested = [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'rain' }] }]
    expect(read(nested).textBytes).toBe(11 + 4 + 4)
    expect(read([{ type: 'tool_use', id: 'toolu_1', name: 'f', input: { city: 'Bern' } }]).textBytes).toBe(8 + 1 + 8)
  })

  test('is no id, signature, address, nor what is encrypted', () => {
    const hidden = { id: 'xx', signature: 'xx', data: 'xx', url: 'xx', encrypted_content: 'xx', file_id: 'xx' }
    expect(read([hidden]).textBytes).toBe(0)
  })

  test('of a document that is text, or blocks', () => {
    expect(read([{ type: 'document', source: { data: 'plain', type: 'text' } }])).toMatchObject({
      textBytes: 8 + 5,
      mediaUnits: 0,
      hasDocuments: false,
    })
    const blocks = { type: 'content', content: [{ type: 'text', text: 'ab' }] }
    expect(read([{ type: 'document', source: blocks }])).toMatchObject({ textBytes: 8 + 4 + 2, mediaUnits: 0 })
  })
})

describe('media', () => {
  test('images, also those of tool results', () => {
    const image = { source: base64(1000, 'image/png'), type: 'image' }
    expect(read([image, { type: 'tool_result', content: [image] }])).toMatchObject({
      mediaUnits: 3200,
      hasImages: true,
      hasDocuments: false,
    })
  })

  test('documents by their size, at least a page; what only the provider knows by a guess', () => {
    expect(read([{ type: 'document', source: base64(8) }])).toMatchObject({ mediaUnits: 4600, hasDocuments: true })
    expect(read([{ type: 'document', source: base64(400_000) }]).mediaUnits).toBe(15_000)
    expect(read([{ type: 'document', source: { type: 'url', url: 'https://h/x.pdf' } }]).mediaUnits).toBe(8000)
  })
})

test('odd values count nothing and are read over', () => {
  expect(read([7, null, [], { type: 'image' }, { type: 'document', source: 7 }])).toMatchObject({ mediaUnits: 1600 })
  expect(read(null)).toMatchObject({ textBytes: 0, mediaUnits: 0 })
})

test('files that the provider is to read are named, those in what it said before are not', () => {
  const image = { type: 'image', source: { type: 'file', file_id: 'file_1' } }
  const result = { type: 'tool_result', content: [{ type: 'document', source: { file_id: 'file_2', type: 'file' } }] }
  const upload = { file_id: 'file_3', type: 'container_upload' }
  const output = { type: 'bash_code_execution_output', file_id: 'file_4' }
  const said = { type: 'bash_code_execution_tool_result', content: { type: 'result', content: [output] } }
  expect(read([image, result, upload, said, { ...output }]).files).toEqual([
    { kind: 'file', id: 'file_1', param: 'source.file_id' },
    { kind: 'file', id: 'file_2', param: 'source.file_id' },
    { kind: 'file', id: 'file_3', param: 'container_upload.file_id' },
  ])
  expect(read([{ ...image, source: { type: 'file', file_id: 7 } }, 'file_5']).files).toBeNull()
})
