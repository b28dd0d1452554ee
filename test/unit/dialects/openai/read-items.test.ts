import { describe, expect, test } from 'bun:test'
import { readItems } from '../../../../src/dialects/openai/read-items.ts'
import { JsonReader } from '../../../../src/lib/index.ts'

const read = (value: unknown) => readItems(new JsonReader(Buffer.from(JSON.stringify(value))))
const item = (id: string, param: string) => ({ kind: 'item', id, param })

describe('text counts as the model reads it', () => {
  test.each([
    ['a text', 'Hé', 3],
    ['a message', [{ type: 'message', role: 'user', content: 'Hello' }], 'user'.length + 5],
    ['parts', [{ role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }], 'user'.length + 5],
    ['a result', [{ type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: '42' }] }], 2],
    ['reasoning', [{ id: 'rs', type: 'reasoning', summary: [], encrypted_content: 'gAAAA' }], 0],
    ['texts among items', ['one', ['two']], 6],
    ['a picture that was made', [{ id: 'ig', type: 'image_generation_call', result: 'AAAA', status: 'completed' }], 0],
  ])('%s', (_name, value, bytes) => expect(read(value).textBytes).toBe(bytes))
})

describe('media', () => {
  const part = (fields: object) => [{ role: 'u', content: [fields] }]
  test.each([
    ['a picture', { type: 'input_image', image_url: 'https://a' }, 1105, ['images']],
    ['no picture', { type: 'input_image', image_url: null }, 0, []],
    ['sound', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } }, 1, ['audio']],
    ['a file in it', { type: 'input_file', file_data: 'A'.repeat(400_000) }, 6000, []],
    ['a file elsewhere', { type: 'input_file', file_url: 'https://a' }, 8000, []],
    ['a file that is kept', { type: 'input_file', file_id: 'file-1' }, 8000, ['files']],
    ['a picture that is kept', { type: 'input_image', file_id: 'file-1' }, 8000, ['images']],
  ])('%s', (_name, fields, units, needs) => {
    const { units: seen, needs: needed } = read(part(fields))
    expect<unknown>([seen, [...needed]]).toEqual([units, needs])
  })
})

describe('what is named', () => {
  test.each([
    ['a reference', [{ type: 'item_reference', id: 'a' }], [{ kind: 'item', id: 'a', param: 'input[0].id' }]],
    ['one without its type', [{ id: 'a' }], [{ kind: 'item', id: 'a', param: 'input[0].id' }]],
    ['its id first', [{ id: 'a', type: 'item_reference' }], [{ kind: 'item', id: 'a', param: 'input[0].id' }]],
    ['a reference with more', [{ type: 'item_reference', status: null, id: 'a' }], [item('a', 'input[0].id')]],
    ['a reference with two types', '[{"type":"item_reference","id":"a","type":"message"}]', [item('a', 'input[0].id')]],
    ['a picture of which nothing is shown', [{ type: 'image_generation_call', id: 'a' }], [item('a', 'input[0].id')]],
    ['a picture that is shown', [{ type: 'image_generation_call', id: 'a', result: 'AAAA' }], []],
    [
      'reasoning of which nothing is shown',
      [{ type: 'reasoning', id: 'a', summary: [], encrypted_content: null }],
      [item('a', 'input[0].id')],
    ],
    ['reasoning that is shown', [{ type: 'reasoning', id: 'a', summary: [{ text: 'x' }] }], []],
    ['reasoning that is sealed', [{ type: 'reasoning', id: 'a', summary: [], encrypted_content: 'gA' }], []],
    [
      'a container in which code ran',
      [{ type: 'code_interpreter_call', id: 'a', code: 'x', container_id: 'c' }],
      [item('c', 'input[0].container_id')],
    ],
    [
      'a file in an object',
      [{ type: 'computer_call_output', output: { type: 'computer_screenshot', file_id: 'f' } }],
      [{ kind: 'file', id: 'f', param: 'input[0].output.file_id' }],
    ],
    [
      'each of two files under one name',
      '[{"content":[{"type":"input_file","file_id":"f","file_id":"g"}]}]',
      ['f', 'g'].map((id) => ({ kind: 'file', id, param: 'input[0].content[0].file_id' })),
    ],
    ['an item that is there', [{ id: 'a', type: 'message', content: 'x' }], []],
    ['an item of an unknown kind', [{ id: 'a', type: 'other' }], []],
    ['a part with an id', [{ role: 'user', content: [{ id: 'a' }] }], []],
    [
      'files',
      [{ type: 'function_call_output', output: [{ type: 'input_file', file_id: 'f' }] }],
      [{ kind: 'file', id: 'f', param: 'input[0].output[0].file_id' }],
    ],
  ])('%s', (_name, value, names) => {
    const written = typeof value === 'string' ? value : JSON.stringify(value)
    expect<unknown>(readItems(new JsonReader(Buffer.from(written))).names).toEqual(names)
  })
})
