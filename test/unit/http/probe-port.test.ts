import { expect, test } from 'bun:test'
import { probePort } from '../../../src/http/index.ts'

test('a free port stays free; one that is taken, and an address of another machine, are refused as by listening', async () => {
  using taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('theirs') })
  await expect(probePort('127.0.0.1', taken.port ?? 0)).rejects.toMatchObject({ code: 'EADDRINUSE', syscall: 'listen' })
  await expect(probePort('192.0.2.1', 0)).rejects.toMatchObject({ code: 'EADDRNOTAVAIL', syscall: 'listen' })
  expect(await (await fetch(taken.url)).text()).toBe('theirs')

  const { port } = taken
  await taken.stop(true)
  for (let again = 0; again < 3; again++) await probePort('127.0.0.1', port ?? 0)
  using mine = Bun.serve({ hostname: '127.0.0.1', port: port ?? 0, fetch: () => new Response('mine') })
  expect(await (await fetch(mine.url)).text()).toBe('mine')
})
