import { describe, expect, test } from 'bun:test'
import { ChunkedBody } from '../../../src/agents/chunked-body.ts'

/** Reads a body in packets of `size` bytes. */
function read(text: string, size = text.length) {
  const body = new ChunkedBody()
  let data = ''
  let read = 0
  for (let at = 0; at < text.length && !body.isDone && body.error === null; at += size) {
    const packet = Buffer.from(text.slice(at, at + size), 'latin1')
    read =
      at +
      body.push(
        packet,
        0,
        (bytes) => (data += bytes.toString('latin1')),
        () => false,
      )
  }
  return { data, isDone: body.isDone, error: body.error, read }
}

describe('ChunkedBody', () => {
  test.each([
    ['0\r\n\r\n', ''],
    ['3\r\nabc\r\n0\r\n\r\n', 'abc'],
    ['00A\r\n0123456789\r\na;x="y; z"\r\n\r\n\r\n\r\n\r\n\r\n\r\n0\r\n\r\n', '0123456789\r\n\r\n\r\n\r\n\r\n'],
    ['1\r\n0\r\n1\r\n\r\r\n0;last\r\nA: b\r\nc:\r\n\r\n', '0\r'],
    ['000000000001\r\nx\r\n000000000000\r\n\r\n', 'x'],
  ])('%j is %j, in packets of any size', (text, data) => {
    for (let size = 1; size <= text.length; size++) {
      expect(read(text, size)).toEqual({ data, isDone: true, error: null, read: text.length })
    }
  })

  test.each([1, 9, 10, 15, 16, 17, 26, 171, 255, 256, 4096, 43_981])(
    'a chunk of %i bytes, in digits large and small',
    (size) => {
      const data = 'x'.repeat(size)
      for (const digits of [size.toString(16), size.toString(16).toUpperCase()]) {
        expect(read(`${digits}\r\n${data}\r\n0\r\n\r\n`)).toMatchObject({ isDone: true, error: null, data })
        expect(read(`${digits}\r\n${data}x\r\n0\r\n\r\n`)).toMatchObject({ isDone: false, data })
        expect(read(`${digits}\r\n${data.slice(1)}\r\n0\r\n\r\n`).isDone).toBe(false)
      }
    },
  )

  test('who stops it in the middle is given nothing more', () => {
    const body = new ChunkedBody()
    const given: string[] = []
    const text = Buffer.from('1\r\na\r\n1\r\nb\r\n0\r\n\r\n')
    const give = (data: Buffer): number => given.push(data.toString())
    expect(body.push(text, 0, give, () => given.length === 1)).toBe(4)
    expect([given, body.isDone]).toEqual([['a'], false])
  })

  test('it stops behind its last byte', () => {
    expect(read('1\r\nx\r\n0\r\n\r\nHTTP/1.1')).toEqual({ data: 'x', isDone: true, error: null, read: 11 })
  })

  test.each([
    '\r\n',
    ';x\r\n',
    'g\r\n',
    '-1\r\nx',
    '+1\r\nx',
    ' 1\r\nx',
    '1 \r\nx',
    '0x1\r\nx',
    '1\nx',
    '1\r\rx',
    '1\r\nxy\r\n',
    '1\r\nx\n',
    '1\r\nx\rx',
    '1;a\nb\r\nx',
    '1;a\0\r\nx',
    '0000000000001\r\nx\r\n',
    'fffffffffffff\r\n',
    '0\r\n\n',
    '0\r\n folded: x\r\n\r\n',
    '0\r\n: x\r\n\r\n',
    '0\r\nname\r\n\r\n',
    '0\r\nblank : x\r\n\r\n',
    '0\r\na: b\nc: d\r\n\r\n',
    '0\r\na: \0\r\n\r\n',
    '0\r\na: b\r\r\n\r\n',
    '0\r\n\r\r',
  ])('%j is refused', (text) => {
    for (const size of [1, text.length]) {
      const { isDone, error } = read(text, size)
      expect(isDone).toBe(false)
      expect(error).not.toBeNull()
    }
  })

  test('a size line of 4 KB is taken, one byte more refused; each line counts for itself', () => {
    const line = (size: number) => `1;${'x'.repeat(size - 2)}\r\nx\r\n`
    expect(read(`${line(4097).repeat(3)}0\r\n\r\n`)).toMatchObject({ isDone: true, data: 'xxx' }) // the `;` is not counted
    expect(read(`${line(4098)}0\r\n\r\n`).error).toContain('chunk line')
  })

  test('trailers of 16 KB are taken, more are refused', () => {
    const trailers = (size: number) => `0\r\na: b\r\nx: ${'v'.repeat(size - 13)}\r\n\r\n`
    expect(trailers(16_384).length).toBe(16_384 + '0\r\n'.length)
    expect(read(trailers(16_384)).isDone).toBe(true)
    expect(read(trailers(16_385)).error).toContain('trailers')
  })
})
