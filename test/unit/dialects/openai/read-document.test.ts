import { expect, test } from 'bun:test'
import type { ReplyStamp } from '../../../../src/dialects/index.ts'
import { readDocument } from '../../../../src/dialects/openai/read-document.ts'
import { money, NO_USAGE } from '../../../../src/domain/index.ts'

const STAMP: ReplyStamp = {
  operation: 'embeddings',
  id: 'gen-1',
  createdS: 7,
  model: 'a/m',
  provider: 'acme',
  isByok: false,
  cost: ({ input }) => money(input * 1000),
  estimate: () => ({ ...NO_USAGE, input: 5 }),
}
const FORM = { lists: ['data'], rows: 'vectors', isPromptOnly: true } as const
const VIEW = { operation: 'embeddings', model: 'a/m', showUsage: false, vectors: 'float', stamp: STAMP } as const
const stamped = (text: string) => {
  const reply = readDocument(FORM, Buffer.from(text), VIEW)
  return reply.kind === 'answer' ? Buffer.from(reply.body).toString() : reply
}
const HEAD = '{"id":"gen-1","provider":"acme","model":"a/m"'

// The contract suite has the plain form (`test/fixtures/openai`); here is the stamped one.

test('our marks come first, what is ours to say gives way, all else stays byte for byte, the cost is last', () => {
  expect(
    stamped('{"usage":{"prompt_tokens":2,"cost":9,"x":1},"id":"e-1","y" : 1.0,"data":[],"model":"n","provider":"p"}'),
  ).toBe(`${HEAD},"y" : 1.0,"data":[],"usage":{"prompt_tokens":2,"x":1,"is_byok":false,"cost":0.000002}}`)
})

test('without usage the estimate is told', () => {
  expect(stamped('{"data":[]}')).toBe(
    `${HEAD},"data":[],"usage":{"prompt_tokens":5,"total_tokens":5,"is_byok":false,"cost":0.000005}}`,
  )
})

test('rows that are written anew stand in the place of the old ones', () => {
  const text = '{"data": [{"index":1,"embedding":"AACAPw=="},{"index":0,"embedding":[2.0]}],"z":0}'
  expect(stamped(text)).toBe(
    `${HEAD},"data": [{"index":0,"embedding":[2.0]},{"index":1,"embedding":[1]}],"z":0,"usage":{"prompt_tokens":5,"total_tokens":5,"is_byok":false,"cost":0.000005}}`,
  )
})
