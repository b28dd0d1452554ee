import { describe, expect, test } from 'bun:test'
import { DEMO_OPERATIONS } from '../../../src/demo/demo-operations.ts'
import { readDemoForm } from '../../../src/demo/read-demo-form.ts'

const HEAD = { id: 'north-1', created: 7, model: 'fast' }
const replyTo = (path: string, fields: object) => {
  const reply = DEMO_OPERATIONS.get(`/v1/${path}`)?.({ ...fields }, HEAD, 'north')
  if (reply === undefined) throw new Error(`nothing answers ${path}`)
  return reply
}
const bodyOf = (path: string, fields: object) => {
  const reply = replyTo(path, fields)
  return reply.kind === 'json' ? Object(reply.body) : expect.unreachable()
}
const eventsOf = (path: string, fields: object) => {
  const reply = replyTo(path, fields)
  return reply.kind === 'events' ? reply.events : expect.unreachable()
}

test('completions end at their limit, plain and as a stream', () => {
  expect(bodyOf('completions', { prompt: 'One two', max_tokens: 2 })).toMatchObject({
    choices: [{ text: 'Hello from', finish_reason: 'length' }],
    usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
  })
  const events = eventsOf('completions', { prompt: 'a', stream: true, stream_options: { include_usage: true } })
  expect(events.at(-1)).toBe('data: [DONE]\n\n')
  expect(events.at(-2)).toContain('"choices":[],"usage"')
})

describe('embeddings', () => {
  test('are the same for the same text, of length 1, and as asked', () => {
    const { data, usage } = bodyOf('embeddings', { input: ['a b', 'c'], dimensions: 4 })
    expect(data.map(({ index }: { index: number }) => index)).toEqual([0, 1])
    expect(Math.hypot(...data[0].embedding)).toBeCloseTo(1, 6)
    expect(bodyOf('embeddings', { input: 'a b', dimensions: 4 }).data[0].embedding).toEqual(data[0].embedding)
    expect(usage).toEqual({ prompt_tokens: 3, total_tokens: 3 })
    const packed = bodyOf('embeddings', { input: 'a b', dimensions: 4, encoding_format: 'base64' }).data[0].embedding
    expect([...new Float32Array(new Uint8Array(Buffer.from(packed, 'base64')).buffer)]).toEqual(data[0].embedding)
  })
})

test('judgements and rankings go by words', () => {
  const { results } = bodyOf('moderations', { input: ['I kill you', 'Hello'] })
  expect(results.map(({ flagged }: { flagged: boolean }) => flagged)).toEqual([true, false])
  const asked = { query: 'A city', documents: ['An apple', { text: 'Bern is a city' }], top_n: 1 }
  expect(bodyOf('rerank', asked).results).toMatchObject([{ index: 1 }])
})

test('as many pictures as asked, or one with those before it', () => {
  expect(bodyOf('images/generations', { prompt: 'A city', n: 3 }).data.length).toBe(3)
  const events = eventsOf('images/generations', { prompt: 'A city', stream: true, partial_images: 2 })
  expect(events.map((event) => /^event: (.*)$/m.exec(event)?.[1])).toEqual([
    'image_generation.partial_image',
    'image_generation.partial_image',
    'image_generation.completed',
  ])
})

test('a sound whose length is the text’s', () => {
  const reply = replyTo('audio/speech', { input: 'Hi' })
  const bytes = Buffer.from(reply.kind === 'sound' ? reply.bytes : [])
  expect(bytes.toString('latin1', 0, 4)).toBe('RIFF')
  expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8)
  expect(bytes.length - 44).toBe(800)
  expect(eventsOf('audio/speech', { input: 'Hi', stream_format: 'sse' }).at(-1)).toContain('speech.audio.done')
})

test('what a sound says, in the form that is asked for', () => {
  const asked = { file: { bytes: 8000 } }
  const text = 'Hello from north. I am a simulated provider.'
  expect(bodyOf('audio/transcriptions', asked)).toMatchObject({ text, usage: { input_tokens: 20 } })
  expect(bodyOf('audio/translations', { ...asked, response_format: 'verbose_json' })).toMatchObject({
    duration: 2,
    text,
  })
  const textOf = (format: string) => replyTo('audio/transcriptions', { ...asked, response_format: format })
  expect(textOf('text')).toEqual({ kind: 'text', text: `${text}\n` })
  expect(textOf('srt')).toMatchObject({ text: expect.stringContaining('--> 00:00:02,000') })
  expect(textOf('vtt')).toMatchObject({ text: expect.stringContaining('--> 00:00:02.000') })
  expect(eventsOf('audio/transcriptions', { ...asked, stream: true }).at(-1)).toContain('transcript.text.done')
})

test('pictures are changed and varied', () => {
  expect(bodyOf('images/variations', { n: 2 }).data.length).toBe(2)
  expect(eventsOf('images/edits', { prompt: 'A hat', stream: true })[0]).toContain('event: image_edit.completed')
})

test('a form is read as JSON would be', async () => {
  const form = new FormData()
  form.set('model', 'fast')
  form.set('n', '2')
  form.set('stream', 'true')
  form.set('file', new Blob(['12345']))
  const request = new Request('http://localhost', { method: 'POST', body: form })
  expect(await readDemoForm(request)).toEqual({ model: 'fast', n: 2, stream: true, file: { bytes: 5 } })
})
