import { expect, test } from 'bun:test'
import { csv } from '../../../src/cli/csv.ts'

test('cells with commas, quotes and line breaks are quoted', () => {
  expect(csv([['a', 'b c']])).toBe('a,b c\n')
  expect(csv([['x,y', 'say "hi"', 'two\nlines', '']])).toBe('"x,y","say ""hi""","two\nlines",\n')
  expect(csv([])).toBe('')
})

test('a text that a spreadsheet would run is none any more; numbers stay', () => {
  expect(csv([['=1+1', '+a', '@x', '-cmd', '-1.50', '12']])).toBe("'=1+1,'+a,'@x,'-cmd,-1.50,12\n")
})
