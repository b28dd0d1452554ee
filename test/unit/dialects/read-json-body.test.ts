import { expect, test } from 'bun:test'
import { enterBody, readJsonBody } from '../../../src/dialects/read-json-body.ts'
import { JsonError, JsonReader } from '../../../src/lib/index.ts'

const read = (text: string) => {
  const body = Buffer.from(text)
  return readJsonBody(body, () => {
    const reader = new JsonReader(body)
    reader.skip()
    reader.finish()
    return 'read'
  })
}

test('what is JSON is read; what is none is told with its place, an empty one as such', () => {
  expect(read('{}')).toBe('read')
  const refused = (words: RegExp) =>
    expect.objectContaining({ code: 'invalid_json', message: expect.stringMatching(words) })
  expect(() => read('{"a"')).toThrow(refused(/line 1, column \d+/))
  expect(() => read('')).toThrow(refused(/^The body is empty/))
})

test('any other error is a bug and stays one', () => {
  const bug = new TypeError('bug')
  expect(() =>
    readJsonBody(Buffer.from('{}'), () => {
      throw bug
    }),
  ).toThrow(bug)
})

test('an object is entered; a body of another kind is refused once it proved to be JSON', () => {
  const enter = (text: string): string => {
    const reader = new JsonReader(Buffer.from(text))
    enterBody(reader)
    return reader.nextKey() ? reader.keyText() : ''
  }
  expect(enter('{"a":1}')).toBe('a')
  expect(() => enter('[1]')).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: 'The body must be a JSON object, but it is an array.',
    }),
  )
  expect(() => enter('[1')).toThrow(JsonError)
})
