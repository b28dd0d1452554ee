import { expect, test } from 'bun:test'
import { formatProblems, type Problem } from '../../../src/config/index.ts'

const problem = (line: number | null, suggestion: string | null): Problem => ({
  path: line === null ? '' : 'server.port',
  line,
  column: line === null ? null : 9,
  reason: 'must be at least 1',
  suggestion,
})

test('each problem is place, path, reason and suggestion', () => {
  expect(formatProblems([problem(3, 'Write 1.'), problem(null, null)], 'any.yaml')).toBe(
    'any.yaml:3:9  server.port\n  must be at least 1\n  -> Write 1.\nany.yaml\n  must be at least 1\n',
  )
})

test('many are cut off with their number', () => {
  const text = formatProblems(
    Array.from({ length: 40 }, (_, at) => problem(at + 1, null)),
    null,
  )
  expect(text).toContain('configuration:25:9')
  expect(text).not.toContain('configuration:26:9')
  expect(text).toEndWith('… and 15 more.\n')
})
