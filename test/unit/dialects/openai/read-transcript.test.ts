import { describe, expect, test } from 'bun:test'
import type { ReplyStamp, ReplyView } from '../../../../src/dialects/index.ts'
import { readTranscript } from '../../../../src/dialects/openai/read-transcript.ts'
import { money, NO_USAGE } from '../../../../src/domain/index.ts'

const VIEW: ReplyView = { operation: 'audio.transcriptions', model: 'm', showUsage: false }
const TEXT: ReplyView = { ...VIEW, textual: 'always' }
const read = (body: string, view = VIEW) => readTranscript(Buffer.from(body), view)
const audio = (audioMs: number) => ({ ...NO_USAGE, audioMs })

describe('an object with a text', () => {
  test('goes on as it is, with what it used', () => {
    const body = '{"text" : "é!", "usage": {"type":"duration","seconds":1.2345}}'
    expect(read(body)).toEqual({ kind: 'answer', body: Buffer.from(body), usage: audio(1235), textBytes: 3 })
    expect(read('{"text":"","duration":"2.5"}')).toMatchObject({ usage: audio(2500), textBytes: 0 })
    expect(read('{"text":"a"}')).toMatchObject({ usage: null })
    for (const odd of ['-1', '0', '1e9', '"x"', 'null', '[]'])
      expect(read(`{"text":"a","duration":${odd}}`)).toMatchObject({ kind: 'answer', usage: null })
  })

  test('tells tokens and length, where both are there', () => {
    const usage = '{"input_tokens":9,"input_token_details":{"audio_tokens":7,"text_tokens":2},"output_tokens":3}'
    expect(read(`{"duration":1,"text":"a","usage":${usage}}`)).toMatchObject({
      usage: { input: 2, inputAudio: 7, output: 3, audioMs: 1000 },
    })
  })

  test('is stamped with its cost, in usage or beside the rest', () => {
    const stamp: ReplyStamp = {
      operation: 'audio.transcriptions',
      id: 'gen-1',
      createdS: 7,
      model: 'm',
      provider: 'acme',
      isByok: false,
      cost: ({ audioMs = 0 }) => money(audioMs),
      estimate: () => audio(5),
    }
    const stamped = (body: string) => {
      const reply = read(body, { ...VIEW, stamp })
      return reply.kind === 'answer' ? Buffer.from(reply.body).toString() : reply
    }
    expect(stamped('{"text":"a"}')).toBe('{"usage":{"is_byok":false,"cost":0.000000005},"text":"a"}')
    expect(stamped('{ "text":"a","usage":{"seconds":1} }')).toBe(
      '{ "text":"a","usage":{"seconds":1,"is_byok":false,"cost":0.000001} }',
    )
  })
})

test('what is no transcript, or an error', () => {
  for (const body of ['', '[]', '"a"', 'Hi', '{"text":1}', '{"texts":"a"}', '{"text":"a"', '<html></html>'])
    expect([body, read(body).kind]).toEqual([body, 'not_an_answer'])
  expect(read('{"error":{"message":"no"}}')).toMatchObject({ kind: 'error', error: { message: 'no' } })
  expect(read('{"text":"a","error":null}').kind).toBe('answer')
})

describe('a text that was asked for', () => {
  test('goes on as it is', () => {
    for (const body of ['Hi\n', '{curly', '<b>', ' ', '[1]'])
      expect(read(body, TEXT)).toEqual({
        kind: 'answer',
        body: Buffer.from(body),
        usage: null,
        textBytes: body.length,
        mediaType: 'text/plain; charset=utf-8',
      })
  })

  test('is as long as its last time says', () => {
    expect(read('1\n00:00:00,000 --> 00:00:01,500\nHi\n', TEXT)).toMatchObject({ usage: audio(1500) })
    expect(read('WEBVTT\n\n00:00.000 --> 01:01.500\nHi\n', TEXT)).toMatchObject({ usage: audio(61_500) })
    expect(read('WEBVTT\n\n00:00.000 --> 12:01:01.500 align:left\nHi\n', TEXT)).toMatchObject({
      usage: audio(12 * 3_600_000 + 61_500),
    })
  })

  test('is none when it is nothing, an error, or a page', () => {
    expect(read('', TEXT).kind).toBe('not_an_answer')
    expect(read('{"error":{"message":"no"}}', TEXT).kind).toBe('error')
    expect(read(' <!doctype html><p>busy', TEXT).kind).toBe('not_an_answer')
  })
})

describe('a text that may have been asked for', () => {
  const MAYBE: ReplyView = { ...VIEW, textual: 'maybe' }

  test('goes on as it is, and an object as one', () => {
    expect(read('Hi', MAYBE)).toMatchObject({ mediaType: 'text/plain; charset=utf-8', textBytes: 2 })
    expect(read('{"text":"a"}', MAYBE)).toMatchObject({ kind: 'answer', textBytes: 1 })
  })

  test('is no text when it is an object that was cut', () => {
    for (const body of ['{"text":"a"', ' {"text":"a', '{']) expect(read(body, MAYBE).kind).toBe('not_an_answer')
  })
})
