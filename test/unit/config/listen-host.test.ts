import { expect, test } from 'bun:test'
import { isListenHost } from '../../../src/config/index.ts'
import { problemsOf } from './support.ts'

test('addresses and names', () => {
  for (const host of ['127.0.0.1', '::1', '::', '0.0.0.0', 'localhost', 'gateway.internal', 'a_b.', 'fe80::1%eth0'])
    expect(isListenHost(host)).toBe(true)
})

test('nothing that the system would take for all addresses, and nothing that is no address', () => {
  for (const host of [
    '',
    ' ',
    '*',
    '127.0.0.1 ',
    '[::1]',
    'http://127.0.0.1',
    'a..b',
    '%',
    '"a"',
    'ü.example',
    'a'.repeat(300),
  ])
    expect(isListenHost(host)).toBe(false)
})

test('nothing with a port: that is a setting of its own', () => {
  for (const host of ['127.0.0.1:8080', 'localhost:8080', ':8080', '[::1]:8080']) expect(isListenHost(host)).toBe(false)
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
