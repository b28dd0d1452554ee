import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminSocket } from '../../../src/http/index.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'socket-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const echo = { handle: async (request: Request) => new Response(`${request.method} ${new URL(request.url).pathname}`) }

test('the socket is for its owner alone, takes the place of one a kill left, and goes when it stops', async () => {
  const path = join(folder, 'admin.sock')
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
