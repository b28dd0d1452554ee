import { expect, test } from 'bun:test'
import { tagged, versionWanted } from '../../../../src/http/admin/tagged.ts'

const wanted = (tag?: string) =>
  versionWanted(new Request('http://admin/', tag === undefined ? {} : { headers: { 'if-match': tag } }))

test('what is answered as an ETag is understood as that version', () => {
  const set = { headers: {} as Record<string, string | undefined> }
  const answer = { id: 'x' }
  expect(tagged({ set }, 12, answer)).toBe(answer)
  expect(wanted(set.headers.etag)).toBe(12)
})

test.each([
  [undefined, null],
  ['*', null],
  [' "3" ', 3],
  ['"0"', 0],
  ['"03"', 0],
  ['W/"3"', 0],
  ['"of-another-kind"', 0],
  ['"9999999999999999"', 0],
] as const)('If-Match %p means %p', (tag, version) => {
  expect(wanted(tag)).toBe(version)
})

test.each(['3', '"3', '"1", "2"', 'W/3', '""x', '"a b"'])('If-Match %p is refused', (tag) => {
  expect(() => wanted(tag)).toThrow('one ETag')
})
