import { expect, test } from 'bun:test'
import type { ReplyStamp } from '../../../../src/dialects/index.ts'
import { openai } from '../../../../src/dialects/openai/openai.ts'
import { GatewayError, money, NO_USAGE } from '../../../../src/domain/index.ts'
import { playStream } from '../suite.ts'

const VIEW = { operation: 'images.generations', model: 'a/m', showUsage: false } as const
const STAMP: ReplyStamp = {
  ...{ operation: 'images.generations', id: 'gen-1', createdS: 7, model: 'a/m', provider: 'acme', isByok: false },
  cost: ({ output, images = 0 }) => money(output * 1000 + images * 1_000_000),
  estimate: () => ({ ...NO_USAGE, images: 3 }),
}
const play = (text: string, stamp?: ReplyStamp) =>
  playStream(openai.openStream({ ...VIEW, ...(stamp === undefined ? {} : { stamp }) }), [Buffer.from(text)])

// The contract suite has more of it (`test/fixtures/openai`).

test('on a stamped surface the event that ends the answer tells its cost, with usage or without', () => {
  const ends = (more: string, made = '') =>
    `event: image_generation.completed\ndata: {${made}"type":"image_generation.completed"${more}}\n\n`
  const [told] = play(ends(',"usage":{"output_tokens":2,"input_tokens":1,"x":1.5}'), STAMP).events
  expect(told?.[1]).toBe(
    ends(
      ',"usage":{"output_tokens":2,"input_tokens":1,"x":1.5,"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"is_byok":false,"cost":0.001002}',
      '"created":7,',
    ),
  )
  const [estimated] = play(ends(''), STAMP).events
  expect(JSON.parse(estimated?.[1].split('data: ')[1] ?? '')).toEqual({
    type: 'image_generation.completed',
    created: 7,
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, is_byok: false, cost: 0.003 },
  })
})

test('on a stamped surface a picture is made when its provider says, or now', () => {
  const made = (fields: string) => {
    const [end] = play(`data: {"type":"image_generation.completed"${fields}}\n\n`, STAMP).events
    return JSON.parse(end?.[1].split('data: ')[1] ?? '').created
  }
  expect([made(''), made(',"created_at":5'), made(',"created_at":5.5'), made(',"created_at":5,"created":6')]).toEqual([
    7, 5, 7, 6,
  ])
  const [plain] = play('data: {"type":"image_generation.completed","created_at":5}\n\n').events
  expect(plain?.[1]).not.toContain('"created"')
})

test('it is closed with the last of its ends, unless it failed', () => {
  const end = Buffer.from('data: {"type":"image_generation.completed"}\n\n')
  const stream = openai.openStream({ ...VIEW, ends: 2 })
  stream.push(end)
  expect([stream.finished, stream.closed]).toEqual([true, false])
  stream.push(end)
  expect([stream.finished, stream.closed]).toEqual([true, true])
  stream.push(Buffer.from('data: {"type":"error","message":"no"}\n\n'))
  expect([stream.finished, stream.closed]).toEqual([false, false])
  const sound = openai.openStream({ ...VIEW, operation: 'audio.speech' })
  sound.push(Buffer.from('data: {"type":"speech.audio.done"}\n\n'))
  expect(sound.closed).toBe(true)
})

test('an event whose error is null is none; one of type error is', () => {
  expect(play('data: {"type":"image_generation.completed","error":null}\n\n')).toMatchObject({ finished: true })
  expect(play('data: {"type":"error","message":"no"}\n\n').events).toEqual([['error', 'no']])
})

test('an event that is larger than a picture can be breaks the stream', () => {
  const stream = openai.openStream(VIEW)
  const piece = Buffer.alloc(16 * 1024 * 1024, 'x')
  for (let at = 0; at < 4; at++) expect(stream.push(piece)).toEqual([])
  expect(() => stream.push(piece)).toThrow(GatewayError)
})
