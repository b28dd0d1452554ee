import { expect, test } from 'bun:test'
import type { Word } from '../../../../src/dialects/openai/operation-form.ts'
import { picturesAsked } from '../../../../src/dialects/openai/pictures-asked.ts'

const asked = (choices: number, words: Record<string, Word> = {}) =>
  picturesAsked({
    choices,
    words: new Map(Object.entries(words)),
    inputs: 1,
    characters: 0,
  }).asked

test('each picture is held by its quality, with those before it', () => {
  expect(asked(2)).toEqual({ images: 2, outputImage: 2 * 6240 })
  expect(asked(1, { quality: 'low' })).toEqual({ images: 1, outputImage: 408 })
  expect(asked(1, { quality: 'medium', partial_images: 3 })).toEqual({ images: 1, outputImage: 1584 + 300 })
  expect(asked(1, { quality: 'low', partial_images: 4 })).toEqual({ images: 1, outputImage: 408 })
  expect(asked(1, { quality: 'low', partial_images: 'many' })).toEqual({ images: 1, outputImage: 408 })
})

test('however many are asked for, it can be reckoned', () => {
  expect(asked(Number.MAX_SAFE_INTEGER)).toEqual({ images: 10_000, outputImage: 62_400_000 })
})
