import { describe, expect, test } from 'bun:test'
import { parsePricePerMillion } from '../../../../src/domain/index.ts'
import { priceTexts } from '../../../../src/http/operations/price-texts.ts'

describe('dollars for one token, exact', () => {
  test.each([
    ['0', '0'],
    ['1', '0.000001'],
    ['0.15', '0.00000015'],
    ['0.000000001', '0.000000000000001'],
    ['1000000', '1'],
    ['2500000', '2.5'],
  ])('%s a million', (text, wanted) => {
    const price = { input: parsePricePerMillion(text) ?? -1, output: 0 }
    expect(priceTexts(price)).toEqual({ prompt: wanted, completion: '0', request: '0', image: '0' })
  })
})

test('what has a price of its own is told, in dollars for each', () => {
  const nano = 1_000_000_000
  const tokens = {
    input: nano,
    output: 2 * nano,
    cachedInput: nano / 10,
    cacheWrite: nano,
    reasoning: nano,
    inputAudio: nano,
    cacheWriteLong: 3 * nano,
    cachedInputAudio: 4 * nano,
    outputAudio: 5 * nano,
    inputImage: 6 * nano,
    outputImage: 7 * nano,
  }
  expect(priceTexts({ ...tokens, perRequest: nano / 1000, perImage: 40_000_000, perSearch: 1 })).toEqual({
    prompt: '0.000001',
    completion: '0.000002',
    request: '0.001',
    image: '0.04',
    input_cache_read: '0.0000001',
    input_cache_write: '0.000001',
    internal_reasoning: '0.000001',
    audio: '0.000001',
    input_cache_write_1h: '0.000003',
    input_audio_cache: '0.000004',
    audio_output: '0.000005',
    image_token: '0.000006',
    image_output: '0.000007',
    web_search: '0.000000001',
  })
  expect(priceTexts(null)).toEqual({ prompt: '0', completion: '0', request: '0', image: '0' })
})
