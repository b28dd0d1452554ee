import { expect, test } from 'bun:test'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { adminSocket } from '../../../src/http/index.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const IDLE_MS = 10_000

const echo = { handle: async (request: Request) => new Response(`${request.method} ${new URL(request.url).pathname}`) }

test('the socket is for its owner alone, takes the place of one a kill left, and goes when it stops', async () => {
  using folder = temporaryFolder()
  const path = folder.at('admin.sock')
  writeFileSync(path, 'left behind')
  const before = process.umask(0) // of some containers
  const socket = adminSocket(path, echo)
  expect(process.umask(before)).toBe(0)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const answer = await fetch('http://admin/admin/v1/slots', { unix: path, method: 'POST' })
  expect(await answer.text()).toBe('POST /admin/v1/slots')
  socket.stop()
  expect(existsSync(path)).toBe(false)
})

test('who waits for longer than the idle time of Bun is answered all the same', async () => {
  using folder = temporaryFolder()
  const path = folder.at('slow.sock')
  const socket = adminSocket(path, {
    async handle() {
      await Bun.sleep(IDLE_MS + 4000) // it looks every four seconds
      return new Response('verified')
    },
  })
  try {
    const answer = await fetch('http://admin/admin/v1/ledger/verify', { unix: path, method: 'POST' })
    expect(await answer.text()).toBe('verified')
  } finally {
    socket.stop()
  }
}, 60_000)
