import { describe, expect, test } from 'bun:test'
import { MultipartReader, multipartBoundary } from '../../../src/lib/index.ts'

/** What is told of a form that comes in pieces of this size: each part with its name, its file's name, its content and where that stands. */
function read(form: string, size = form.length) {
  const parts: { name: string; file: string | null; content: string; start: number; end: number }[] = []
  const reader = new MultipartReader('bb', {
    part: ({ name, fileName }, at) => parts.push({ name, file: fileName, content: '', start: at, end: -1 }),
    data: (bytes) => {
      const part = parts.at(-1)
      if (part !== undefined) part.content += Buffer.from(bytes).toString('latin1')
    },
    partEnd: (at) => {
      const part = parts.at(-1)
      if (part !== undefined) part.end = at
    },
  })
  const bytes = Buffer.from(form, 'latin1')
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size))
  return { parts, isDone: reader.isDone, error: reader.error }
}

const NAMED = 'Content-Disposition: form-data; name="a"'
const form = (...parts: string[]): string => `${parts.map((part) => `--bb\r\n${part}\r\n`).join('')}--bb--\r\n`

describe('a form', () => {
  const whole = form(
    `${NAMED}\r\n\r\none`,
    'content-type: audio/wav\r\ncontent-disposition: form-data; filename="x \\"y\\".wav"; name=file\r\n\r\n\r\n--b\r\n--bc\r\n',
    `${NAMED}\r\n\r\n`,
  )

  test('is told part by part, however it is split', () => {
    const told = read(whole)
    expect(told).toMatchObject({ isDone: true, error: null })
    expect(told.parts.map(({ name, file, content }) => [name, file, content])).toEqual([
      ['a', null, 'one'],
      ['file', 'x "y".wav', '\r\n--b\r\n--bc\r\n'],
      ['a', null, ''],
    ])
    for (const { content, start, end } of told.parts) expect(whole.slice(start, end)).toBe(content)
    for (let size = 1; size < 40; size++) expect(read(whole, size)).toEqual(told)
  })

  test('is told the same where pieces are large', () => {
    const large = 'x\r\n--b'.repeat(1000)
    const text = form(
      `${NAMED}\r\n\r\n${large}`,
      `${NAMED}\r\n\r\n\r\n${large}`,
      `X: ${'y'.repeat(3000)}\r\n${NAMED}\r\n\r\n`,
    )
    const told = read(text)
    expect(told.parts.map(({ content }) => content)).toEqual([large, `\r\n${large}`, ''])
    for (const { content, start, end } of told.parts) expect(text.slice(start, end)).toBe(content)
    for (const size of [500, 1024, 1025, 1030, 1500, 5000]) expect(read(text, size)).toEqual(told)
  })

  test('may have something before and after it, and blanks behind a boundary', () => {
    const told = read(`hello\r\n--bb \t\r\n${NAMED}\r\n\r\none\r\n--bb--\r\nmore\r\n--bb\r\n`)
    expect(told.parts.map(({ content }) => content)).toEqual(['one'])
    expect(told.isDone).toBe(true)
  })

  test('may leave out the line end of a part without content', () => {
    const text = `--bb\r\n${NAMED}\r\n\r\n--bb--`
    for (const size of [1, 3, text.length]) {
      const told = read(text, size)
      expect(told).toMatchObject({ isDone: true, error: null, parts: [{ content: '' }] })
      expect(told.parts[0]?.start).toBe(told.parts[0]?.end)
    }
  })

  test('that is cut is not done', () => {
    expect(read(whole.slice(0, -5))).toMatchObject({ isDone: false, error: null })
    expect(read('')).toEqual({ parts: [], isDone: false, error: null })
  })

  test('that two readers could read differently is refused', () => {
    const refused = (part: string) => read(form(part)).error
    expect(refused('\r\n\r\none')).not.toBeNull()
    expect(refused(`${NAMED}\r\n${NAMED}\r\n\r\none`)).toContain('two Content-Disposition')
    expect(refused(`${NAMED}; name="b"\r\n\r\none`)).toContain('one clear name')
    expect(refused(`${NAMED}; name*=utf-8''b\r\n\r\none`)).toContain('one clear name')
    expect(refused('Content-Disposition: form-data\r\n\r\none')).toContain('one clear name')
    expect(refused('Content-Disposition: attachment; name="a"\r\n\r\none')).toContain('of a form')
    expect(refused('Content-Type: text/plain\r\n\r\none')).toContain('of a form')
    expect(refused(`${NAMED};\r\n x=y\r\n\r\none`)).toContain('no header')
    expect(refused(`${NAMED} junk\r\n\r\none`)).toContain('one clear name')
    expect(refused(`X: ${'x'.repeat(20_000)}\r\n\r\none`)).toContain('16384')
    expect(read(`--bbx\r\n${NAMED}\r\n\r\none\r\n--bb--`)).toMatchObject({ parts: [], error: expect.any(String) })
  })
})

test('the boundary stands in the content type', () => {
  expect(multipartBoundary('multipart/form-data; boundary=----x1')).toBe('----x1')
  expect(multipartBoundary('Multipart/Form-Data ; charset=utf-8 ;boundary="a b"')).toBe('a b')
  for (const wrong of [
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=a; boundary=b',
    'multipart/form-data; boundary="a "',
    'multipart/form-data; boundary="\x01"',
    'multipart/form-data; boundary=a; x="\x7f"',
    'multipart/mixed; boundary=a',
    'application/json',
    '',
  ])
    expect([wrong, multipartBoundary(wrong)]).toEqual([wrong, null])
})
