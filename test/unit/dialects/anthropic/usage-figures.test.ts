import { describe, expect, test } from 'bun:test'
import { UsageFigures } from '../../../../src/dialects/anthropic/usage-figures.ts'
import { JsonReader } from '../../../../src/lib/index.ts'

function figures(...reports: unknown[]): UsageFigures {
  const read = new UsageFigures()
  for (const report of reports) read.read(new JsonReader(Buffer.from(JSON.stringify(report))))
  return read
}

const NONE = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 }

describe('kinds do not overlap', () => {
  test('cached tokens and cache writes stand beside the input; long writes apart from short ones', () => {
    const report = {
      input_tokens: 10,
      cache_read_input_tokens: 1000,
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
      output_tokens: 7,
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
    }
    expect(figures(report).whole).toEqual({
      ...NONE,
      input: 10,
      cachedInput: 1000,
      cacheWrite: 100,
      cacheWriteLong: 200,
      output: 7,
      searches: 2,
    })
  })

  test('a prompt that is cached as a whole has no tokens beside that', () => {
    const report = { input_tokens: 0, cache_read_input_tokens: 9, output_tokens: 1, cache_creation: null }
    expect(figures(report).whole).toEqual({ ...NONE, cachedInput: 9, output: 1 })
  })

  test('tells whether a report names the tokens of the answer', () => {
    const names = [{ output_tokens: 0 }, { input_tokens: 1 }, null, 'x'].map((report) =>
      new UsageFigures().read(new JsonReader(Buffer.from(JSON.stringify(report)))),
    )
    expect(names).toEqual([true, false, false, false])
  })

  test('writes without their lengths are short, and lengths without a sum are their sum', () => {
    expect(figures({ input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 5 }).whole).toMatchObject({
      cacheWrite: 5,
    })
    const lengths = { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 }
    expect(figures({ input_tokens: 1, output_tokens: 1, cache_creation: lengths }).whole).toMatchObject({
      cacheWrite: 2,
      cacheWriteLong: 3,
    })
  })
})

describe('over the events of a stream', () => {
  test('the prompt is known first; a figure that is left out or 0 later stays', () => {
    const started = { input_tokens: 25, cache_read_input_tokens: 9, output_tokens: 1 }
    expect(figures(started).prompt).toEqual({ ...NONE, input: 25, cachedInput: 9 })
    expect(figures(started, { output_tokens: 15, input_tokens: 0 }).whole).toEqual({
      ...NONE,
      input: 25,
      cachedInput: 9,
      output: 15,
    })
  })

  test('a prompt that is told at the end alone is told; what the start guesses of the answer does not stay', () => {
    expect(figures({ input_tokens: 0, output_tokens: 5 }, { input_tokens: 25, output_tokens: 0 }).whole).toEqual({
      ...NONE,
      input: 25,
    })
  })
})

test('what is no count is as if absent', () => {
  for (const odd of [null, -1, 1.5, '7', 1e10])
    expect(figures({ input_tokens: odd, output_tokens: 1 })).toMatchObject({ prompt: null, whole: null })
  expect(figures(null, 7, [], { cache_creation: 7, server_tool_use: null })).toMatchObject({ whole: null })
  expect(figures({ input_tokens: 3 })).toMatchObject({ prompt: { input: 3 }, whole: null })
})
