import { describe, expect, test } from 'bun:test'
import { renamedModel } from '../../../../src/dialects/openai/renamed-model.ts'

const written = (text: string, model: string | null): string | null => {
  const bytes = renamedModel(Buffer.from(text), model)
  return bytes === null ? null : Buffer.from(bytes).toString()
}

describe('the model’s name, and nothing else', () => {
  test.each([
    ['{"a":{"model":"x"}, "model" : "x","n":1.0}', 'm', '{"a":{"model":"x"}, "model" : "m","n":1.0}'],
    ['{"model":null}', 'm', '{"model":null}'],
    ['{"model":"x"}', null, '{"model":"x"}'],
    ['[]', 'm', null],
    ['hello', 'm', null],
    ['', 'm', null],
  ])('%p', (text, model, wanted) => expect(written(text, model)).toBe(wanted))
})
