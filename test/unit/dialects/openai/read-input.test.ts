import { describe, expect, test } from 'bun:test'
import { readInput } from '../../../../src/dialects/openai/read-input.ts'
import { JsonReader } from '../../../../src/lib/index.ts'

const IMAGE = { type: 'image_url', image_url: { url: 'https://x.example/1.png', detail: 'low' } }

describe('one or several texts, as text or tokens, or parts', () => {
  test.each([
    ['é', { inputs: 1, textBytes: 2, longestBytes: 2, units: 0 }],
    [null, { inputs: 1, textBytes: 0, longestBytes: 0, units: 0 }],
    [[], { inputs: 1, textBytes: 0, longestBytes: 0, units: 0 }],
    [['a', 'bc'], { inputs: 2, textBytes: 3, longestBytes: 2, units: 0 }],
    [[5, 6, 7], { inputs: 1, textBytes: 0, longestBytes: 0, units: 3 }],
    [[[5, 6], [7]], { inputs: 2, textBytes: 0, longestBytes: 0, units: 3 }],
    [[{ type: 'text', text: 'abc' }, IMAGE], { inputs: 2, textBytes: 3, longestBytes: 3, units: 85 }],
    // OpenRouter's inputs of several kinds
    [[{ content: [{ type: 'text', text: 'abc' }, IMAGE] }], { inputs: 1, textBytes: 3, longestBytes: 3, units: 85 }],
    ['data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB', { inputs: 1, textBytes: 0, longestBytes: 0, units: 0 }],
  ])('%p', (value, wanted) => {
    const reader = new JsonReader(Buffer.from(JSON.stringify(value)))
    expect(readInput(reader)).toEqual(wanted)
    reader.finish()
  })
})
