import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { dialectOf, type ReplyView } from '../../src/dialects/index.ts'
import type { DialectName } from '../../src/domain/index.ts'
import { playStream, streamFixtures } from '../unit/dialects/suite.ts'

const runs = { numRuns: Number(process.env.ANYROUTER_RUNS ?? 100) }
const DIALECTS: readonly DialectName[] = ['openai', 'anthropic']

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

const VIEWS: Readonly<Record<DialectName, ReplyView>> = {
  openai: { operation: 'chat.completions', model: 'm', showUsage: false },
  anthropic: { operation: 'messages', model: 'm', showUsage: true },
}
/** Parts of lines, broken and whole. */
const PARTS = [
  'data: ',
  'data:',
  'event: error',
  'event: ping\n',
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
  '\u0000',
  '\ufeff',
  '{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}',
  '{"error":{"message":"m"}}',
  'data: {"model":"x","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n',
  '{"type":"message_stop"}',
  'event: message_start\ndata: {"type":"message_start","message":{"model":"x","usage":{"input_tokens":1}}}\n\n',
  'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"a"}}\n\n',
  'event: message_delta\r\ndata: {"type":"message_delta","delta":{"stop_reason":"x"},"usage":{"output_tokens":3}}\r\n\r\n',
]

describe.each(DIALECTS)('nothing a provider sends makes a stream throw: %s', (name) => {
  const dialect = dialectOf(name)
  const lines = fc.constantFrom(...PARTS)
  test('any order of its parts, in any pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.array(lines, { maxLength: 5 }), { maxLength: 12 }), (pieces) => {
        const bytes = pieces.map((piece) => Buffer.from(piece.join('')))
        const played = playStream(dialect.openStream(VIEWS[name]), bytes)
        expect(played).toEqual(playStream(dialect.openStream(VIEWS[name]), [Buffer.concat(bytes)]))
        for (const [kind, text] of played.events)
          if (kind === 'content' || kind === 'silent') expect(text).toEndWith('\n\n')
      }),
      { numRuns: runs.numRuns * 5 },
    )
  })
})
