import { describe, expect, test } from 'bun:test'
import { formOf, OPERATIONS } from '../../../../src/dialects/openai/form-of.ts'
import { readRequest } from '../../../../src/dialects/openai/read-request.ts'
import type { OperationName } from '../../../../src/domain/index.ts'

test('what it does not have is a bug to ask for', () => {
  expect(OPERATIONS.has('models.list')).toBe(false)
  expect(() => formOf('models.list')).toThrow('models.list is never sent to a provider')
})

const factsOf = (operation: OperationName, fields: object) =>
  readRequest(operation, Buffer.from(JSON.stringify({ model: 'm', ...fields })))

describe('what a request will be billed by, beside its tokens', () => {
  test.each([
    ['rerank', { query: 'a', documents: Array(100).fill('b') }, { searches: 1 }],
    ['rerank', { query: 'a', documents: Array(101).fill('b') }, { searches: 2 }],
    ['images.generations', { prompt: 'a' }, { images: 1, outputImage: 6240 }],
    ['images.generations', { prompt: 'a', n: 2, quality: 'low' }, { images: 2, outputImage: 816 }],
    ['images.generations', { prompt: 'a', quality: 'low', partial_images: 3 }, { images: 1, outputImage: 708 }],
    ['images.generations', { prompt: 'a', n: 1e15, quality: 'low' }, { images: 10_000, outputImage: 4_080_000 }],
    ['images.generations', { prompt: 'a', quality: 7, partial_images: 1e9 }, { images: 1, outputImage: 6240 }],
    ['audio.speech', { input: '😀é' }, { characters: 2 }],
  ] as const)('%s %p', (operation, fields, asked) => expect(factsOf(operation, fields).asked).toEqual(asked))
})

describe('vectors', () => {
  test.each([
    [{}, 'float'],
    [{ encoding_format: 'float' }, 'float'],
    [{ encoding_format: 'base64' }, 'base64'],
    [{ encoding_format: null }, 'float'],
    [{ encoding_format: 'ubinary' }, undefined],
  ] as const)('%p', (fields, wanted) => expect(factsOf('embeddings', { input: 'a', ...fields }).vectors).toBe(wanted))
})

test('speech is bytes, unless events are asked for', () => {
  expect(factsOf('audio.speech', { input: 'a' })).toMatchObject({ stream: false, isBinary: true })
  expect(factsOf('audio.speech', { input: 'a', stream_format: 'audio' })).toMatchObject({ isBinary: true })
  const events = factsOf('audio.speech', { input: 'a', stream_format: 'sse' })
  expect(events).toMatchObject({ stream: true, outputLimit: 3 })
  expect(events).not.toHaveProperty('isBinary')
  expect(events).not.toHaveProperty('pricedBy')
})
