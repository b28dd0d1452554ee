import { expect, test } from 'bun:test'
import { surfaceAt } from '../../../src/http/prefixes.ts'

test('the prefix decides, and nothing but a whole one', () => {
  expect(surfaceAt('/api/v1/chat/completions')).toBe('openrouter')
  for (const path of ['/v1/models', '/', '/api/v10/x', '/chat/api/v1/x', '']) expect(surfaceAt(path)).toBe('openai')
})
