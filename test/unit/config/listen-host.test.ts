import { expect, test } from 'bun:test'
import { isListenHost } from '../../../src/config/index.ts'
import { problemsOf } from './support.ts'

test('addresses and names', () => {
  for (const host of ['127.0.0.1', '::1', '::', '0.0.0.0', 'localhost', 'gateway.internal'])
    expect(isListenHost(host)).toBe(true)
})

test('nothing that the system would take for all addresses, and nothing that is no address', () => {
  for (const host of ['', ' ', '*', '127.0.0.1 ', '[::1]', 'http://127.0.0.1']) expect(isListenHost(host)).toBe(false)
})

test('in the file too', async () => {
  for (const host of ['""', '"*"', '"[::1]"']) {
    const [problem] = await problemsOf(`server:\n  host: ${host}\n`)
    expect(problem).toMatchObject({
      path: 'server.host',
      line: 2,
      reason: expect.stringContaining('such as 127.0.0.1'),
    })
  }
})
