import { expect, test } from 'bun:test'
import { jsonBytes } from '../../../src/lib/index.ts'

test('a text as JSON, the same however often it is asked for', () => {
  for (const text of ['gpt-4', 'a "name"', 'ü\n', '', 'x'.repeat(500)]) {
    for (let turn = 0; turn < 2; turn++) expect(Buffer.from(jsonBytes(text)).toString()).toBe(JSON.stringify(text))
  }
})
