import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dialectOf, type FormReader } from '../../src/dialects/index.ts'
import { assert } from '../../src/lib/index.ts'

const RUNS = { numRuns: Number(process.env.ANYROUTER_RUNS ?? 100) }
const BOUNDARY = 'x1'
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** Bytes that are nearly a boundary, again and again. */
const content = fc
  .array(fc.constantFrom('\r\n', '--', `--${BOUNDARY.slice(0, 1)}`, `\r\n--x`, '\r', '\n', '-', 'a', 'é', '\0'), {
    maxLength: 20,
  })
  .map((parts) => Buffer.from(parts.join('')))
  .filter((bytes) => !`\r\n${bytes.toString('latin1')}\r\n`.includes(`\r\n--${BOUNDARY}`))

interface Part {
  readonly name: string
  readonly fileName: string | null
  readonly content: Uint8Array
}

const model = fc
  .stringMatching(/^[a-zé0-9/.-]{1,12}$/)
  .map((name): Part => ({ name: 'model', fileName: null, content: Buffer.from(name) }))
const file = content.map((bytes): Part => ({ name: 'file', fileName: 'a "b".mp3', content: bytes }))
const other = fc.record({
  name: fc.constantFrom('language', 'temperature', 'timestamp_granularities[]', 'x'),
  fileName: fc.constantFrom(null, 'c'),
  content,
})
const form = fc
  .tuple(model, file, fc.array(other, { maxLength: 4 }))
  .chain(([one, two, others]) => fc.shuffledSubarray([one, two, ...others], { minLength: others.length + 2 }))

const written = (parts: readonly Part[], named?: string): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ name, fileName, content: bytes }) => [
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`),
      Buffer.from(
        fileName === null ? '' : `; filename="${fileName.replaceAll('"', '\\"')}"\r\nContent-Type: audio/mpeg`,
      ),
      Buffer.from('\r\n\r\n'),
      name === 'model' && named !== undefined ? Buffer.from(named) : bytes,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ])

function opened(): FormReader {
  const reader = dialectOf('openai').openForm?.('audio.transcriptions', TYPE)
  assert(reader !== undefined, 'OpenAI has forms')
  return reader
}

/** Feeds the bytes in pieces of these sizes, the last one again and again. */
function feed(
  reader: FormReader,
  bytes: Uint8Array,
  sizes: readonly number[],
  isOver: (at: number) => boolean = () => false,
): number {
  let at = 0
  for (let turn = 0; at < bytes.length && !isOver(at); turn++) {
    const size = sizes[Math.min(turn, sizes.length - 1)] ?? 1
    reader.push(bytes.subarray(at, at + size))
    at = Math.min(bytes.length, at + size)
  }
  return at
}

const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 12 })
const write = (facts: ReturnType<FormReader['facts']>) =>
  dialectOf('openai').writeRequest(facts, { model: 'the/provider’s', askUsage: false, outputLimit: null })

test('a form reads the same however it is split, and reaches the provider byte for byte but for its model', () => {
  fc.assert(
    fc.property(form, sizes, (parts, split) => {
      const body = written(parts)
      const whole = { body, bodyBytes: body.length, isWhole: true }
      const [one, other] = [opened(), opened()]
      feed(one, body, [body.length])
      feed(other, body, split)
      other.end()
      const facts = other.facts(whole)
      expect(facts).toEqual(one.facts(whole))
      expect(facts.model).toBe(Buffer.from(parts.find(({ name }) => name === 'model')?.content ?? []).toString())
      expect(Buffer.from(write(facts)).equals(written(parts, 'the/provider’s'))).toBe(true)
    }),
    RUNS,
  )
})

test('one that is sent on as soon as it may be reaches the provider the same', () => {
  fc.assert(
    fc.property(form, sizes, (parts, split) => {
      const body = written(parts)
      const reader = opened()
      const at = feed(reader, body, split, () => reader.isEnough)
      fc.pre(reader.isEnough)
      const facts = reader.facts({ body: body.subarray(0, at), bodyBytes: body.length, isWhole: false })
      expect(facts.isOpen).toBe(true)
      const rest = body.subarray(at)
      feed(reader, rest, split)
      reader.end()
      expect(Buffer.concat([write(facts), rest]).equals(written(parts, 'the/provider’s'))).toBe(true)
    }),
    RUNS,
  )
})

test('any bytes are a form or refused, and two models never are one', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), form, model, sizes, (noise, parts, second, split) => {
      expect(() => {
        const reader = opened()
        reader.push(noise)
        reader.end()
      }).toThrow(expect.objectContaining({ code: 'invalid_request' }))
      expect(() => feed(opened(), written([...parts, second]), split)).toThrow(
        expect.objectContaining({ code: 'duplicate_field', details: expect.objectContaining({ param: 'model' }) }),
      )
    }),
    RUNS,
  )
})
