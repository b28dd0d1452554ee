import { describe, expect, test } from 'bun:test'
import { readUsage } from '../../../../src/dialects/openai/read-usage.ts'
import type { Usage } from '../../../../src/domain/index.ts'
import { JsonReader } from '../../../../src/lib/index.ts'

const read = (json: string, isPromptOnly = false): Usage | null =>
  readUsage(new JsonReader(Buffer.from(json)), isPromptOnly)
const usage = (input: number, output: number, more: Partial<Usage> = {}): Usage => ({
  input,
  cachedInput: 0,
  cacheWrite: 0,
  output,
  reasoning: 0,
  ...more,
})

describe('usage is normalised: the kinds do not overlap', () => {
  const cases: readonly [json: string, usage: Usage | null][] = [
    ['{"prompt_tokens":9,"completion_tokens":10,"total_tokens":19}', usage(9, 10)],
    ['{"prompt_tokens":0,"completion_tokens":0}', usage(0, 0)],
    ['{"prompt_tokens":9.0,"completion_tokens":1e1}', usage(9, 10)],
    [
      '{"prompt_tokens":100,"completion_tokens":50,"prompt_tokens_details":{"cached_tokens":40,"cache_write_tokens":30},"completion_tokens_details":{"reasoning_tokens":20}}',
      usage(30, 30, { cachedInput: 40, cacheWrite: 30, reasoning: 20 }),
    ],
    // more cached than there is, more reasoning than there is
    [
      '{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":99,"cache_write_tokens":9},"completion_tokens_details":{"reasoning_tokens":99}}',
      usage(0, 0, { cachedInput: 10, reasoning: 5 }),
    ],
    // reasoning counted outside, as the total shows
    [
      '{"prompt_tokens":10,"completion_tokens":5,"total_tokens":22,"completion_tokens_details":{"reasoning_tokens":7}}',
      usage(10, 5, { reasoning: 7 }),
    ],
    [
      '{"prompt_tokens":9,"completion_tokens":1,"prompt_tokens_details":null,"completion_tokens_details":[]}',
      usage(9, 1),
    ],
    [
      '{"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":-1},"completion_tokens_details":{"reasoning_tokens":"3"}}',
      usage(9, 4),
    ],
    ['{"prompt_tokens":9,"total_tokens":12}', usage(9, 3)],
    // audio and images stand inside the text
    [
      '{"prompt_tokens":20,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":5,"audio_tokens":6,"image_tokens":2},"completion_tokens_details":{"reasoning_tokens":1,"audio_tokens":3,"image_tokens":4}}',
      {
        ...usage(7, 1, { cachedInput: 5, reasoning: 1 }),
        ...{ inputAudio: 6, inputImage: 2, outputAudio: 3, outputImage: 4 },
      },
    ],
    [
      '{"prompt_tokens":20,"completion_tokens":0,"prompt_tokens_details":{"cached_tokens":5,"audio_tokens":6,"cached_tokens_details":{"audio_tokens":4,"image_tokens":9}}}',
      { ...usage(13, 0, { cachedInput: 1 }), inputAudio: 2, cachedInputAudio: 4 },
    ],
    // never more than there is
    [
      '{"prompt_tokens":5,"completion_tokens":1,"prompt_tokens_details":{"audio_tokens":9,"image_tokens":9},"completion_tokens_details":{"audio_tokens":2}}',
      { ...usage(0, 0), inputAudio: 5, outputAudio: 1 },
    ],
    ['{"completion_tokens":9,"total_tokens":12,"prompt_tokens":null}', usage(3, 9)],
    ['{"completion_tokens":9,"total_tokens":9}', usage(0, 9)],
    ['{"completion_tokens":9,"total_tokens":8}', null],
    // cached images are images of the prompt; what is told apart of cached tokens beside that is text
    [
      '{"prompt_tokens":20,"completion_tokens":0,"prompt_tokens_details":{"cached_tokens":5,"image_tokens":8,"cached_tokens_details":{"text_tokens":2,"audio_tokens":null,"image_tokens":3}}}',
      { ...usage(10, 0, { cachedInput: 2 }), inputImage: 5, cachedInputImage: 3 },
    ],
    [
      '{"prompt_tokens":20,"completion_tokens":0,"prompt_tokens_details":{"cached_tokens":5,"image_tokens":8,"audio_tokens":1,"cached_tokens_details":{"image_tokens":null}}}',
      { ...usage(6, 0, { cachedInput: 5 }), inputImage: 8, inputAudio: 1 },
    ],
    [
      '{"prompt_tokens":20,"completion_tokens":0,"prompt_tokens_details":{"cached_tokens_details":7,"cached_tokens":5}}',
      usage(15, 0, { cachedInput: 5 }),
    ],
    // sound by its length
    ['{"type":"duration","seconds":5.0004}', { ...usage(0, 0), audioMs: 5001 }],
    ['{"seconds":0.0001}', { ...usage(0, 0), audioMs: 1 }],
    ['{"seconds":0}', null],
    ['{"seconds":"5"}', null],
    ['{"prompt_tokens":9}', null],
    ['{"prompt_tokens":9,"completion_tokens":-1}', null],
    ['{"prompt_tokens":9,"completion_tokens":"1"}', null],
    ['{"prompt_tokens":9,"completion_tokens":1.5}', null],
    ['{"prompt_tokens":9,"completion_tokens":1e400}', null],
    ['{"prompt_tokens":9,"completion_tokens":99999999999}', null],
    ['{}', null],
    ['null', null],
    ['[9,1]', null],
    ['"9"', null],
  ]
  for (const [json, wanted] of cases) test(json, () => expect(read(json)).toEqual(wanted))
})

test.each([
  ['{"prompt_tokens":9,"completion_tokens":4}', usage(9, 4)],
  ['{"prompt_tokens":9,"total_tokens":12}', usage(9, 0)],
  ['{"total_tokens":9}', usage(9, 0)],
  ['{"search_units":2}', { ...usage(0, 0), searches: 2 }],
  ['{"search_units":0}', null],
  ['{}', null],
])('where there is nothing but a prompt: %s', (json, wanted) => {
  expect(read(json, true)).toEqual(wanted)
})
