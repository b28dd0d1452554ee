import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { dialectOf } from '../../src/dialects/index.ts'
import type { DialectName } from '../../src/domain/index.ts'
import { playStream, streamFixtures } from '../unit/dialects/suite.ts'

const runs = { numRuns: Number(process.env.ANYROUTER_RUNS ?? 100) }
const DIALECTS: readonly DialectName[] = ['openai']

for (const name of DIALECTS) {
  describe(`any split of a stream gives the same events, usage and text: ${name}`, () => {
    const dialect = dialectOf(name)
    for (const { name: stream, view, bytes } of streamFixtures(join(import.meta.dir, '../fixtures', name))) {
      test(stream, () => {
        const whole = playStream(dialect.openStream(view), [bytes])
        fc.assert(
          fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (places) => {
            const cuts = [0, ...places.sort((one, other) => one - other), bytes.length]
            const pieces = cuts.slice(1).map((cut, i) => bytes.subarray(cuts[i], cut))
            expect(playStream(dialect.openStream(view), pieces)).toEqual(whole)
          }),
          runs,
        )
      })
    }
  })
}

describe('nothing a provider sends makes a stream throw', () => {
  const openai = dialectOf('openai')
  const lines = fc.constantFrom(
    ...[
      'data: ',
      'data:',
      'event: error',
      ': c',
      '\n',
      '\n\n',
      '\r\n',
      '\r',
      '[DONE]',
      '{}',
      '[]',
      '{"choices":',
      '"x"',
      'null',
    ],
    ...[
      '{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}',
      '{"error":{"message":"m"}}',
      '\u0000',
      '\ufeff',
    ],
    'data: {"model":"x","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n',
  )
  test('any order of its parts, in any pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.array(lines, { maxLength: 5 }), { maxLength: 12 }), (pieces) => {
        const bytes = pieces.map((piece) => Buffer.from(piece.join('')))
        const view = { operation: 'chat.completions' as const, model: 'm', showUsage: false }
        const played = playStream(openai.openStream(view), bytes)
        expect(played).toEqual(playStream(openai.openStream(view), [Buffer.concat(bytes)]))
        for (const [kind, text] of played.events)
          if (kind === 'content' || kind === 'silent') expect(text).toEndWith('\n\n')
      }),
      { numRuns: runs.numRuns * 5 },
    )
  })
})
