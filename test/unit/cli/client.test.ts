import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { adminInside, adminOnSocket, type Client, isServed } from '../../../src/cli/client.ts'
import { listAll } from '../../../src/cli/list-all.ts'
import { systemClock } from '../../../src/lib/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const answering = (answer: () => Response): Client => adminInside({ handle: async () => answer() })

describe('an answer', () => {
  test('is its body', async () => {
    expect(await answering(() => Response.json({ id: 'acc_1' }))('GET', '/accounts/a')).toEqual({ id: 'acc_1' })
  })

  test('that refuses is told in its own words', async () => {
    const refuse = () => Response.json({ error: { message: 'There is no account.' } }, { status: 404 })
    await expect(answering(refuse)('GET', '/accounts/a')).rejects.toMatchObject({
      message: 'There is no account.',
      exitCode: 1,
    })
  })

  test('that the ledger cannot be written says where to look', async () => {
    const error = { message: 'The ledger cannot be written.', code: 'storage_unavailable' }
    await expect(answering(() => Response.json({ error }, { status: 503 }))('POST', '/credits')).rejects.toThrow(
      "The ledger cannot be written. 'anyrouter doctor' looks for the reason.",
    )
  })

  test('that is no JSON is told as such', async () => {
    await expect(answering(() => new Response('<html>', { status: 502 }))('GET', '/x')).rejects.toThrow(
      'the server answered 502 with something that is no JSON',
    )
  })
})

describe('over the socket', () => {
  test('nobody is there', async () => {
    using data = temporaryFolder()
    expect(await isServed(data.path, systemClock())).toBe(false)
    await expect(adminOnSocket(data.path)('POST', '/credits', {})).rejects.toThrow('Nothing was done')
  })

  test('a server that ends before it answers may have done it: it is never said that nothing was', async () => {
    using data = temporaryFolder()
    using _server = Bun.listen({
      unix: join(data.path, 'admin.sock'),
      socket: { data: (socket) => void socket.terminate() },
    })
    await expect(adminOnSocket(data.path)('POST', '/credits', {})).rejects.toThrow('it may have done it or not')
  })

  test('a server that does not answer is not taken for none', async () => {
    using data = temporaryFolder()
    const asked = Promise.withResolvers<void>()
    using _server = Bun.listen({ unix: join(data.path, 'admin.sock'), socket: { data: () => asked.resolve() } })
    const clock = fakeClock()
    const served = isServed(data.path, clock)
    await asked.promise
    clock.advance(5000)
    await expect(served).rejects.toThrow('does not answer. Nothing was done.')
  })
})

test('listAll: every page, in order, with the query on each', async () => {
  const asked: string[] = []
  const admin: Client = async (_method, path) => {
    asked.push(path)
    return asked.length < 3 ? { data: [asked.length], next: `c${asked.length}` } : { data: [3], next: null }
  }
  expect(await listAll(admin, '/keys', { account: 'a b' })).toEqual({ data: [1, 2, 3], has_more: false, next: null })
  expect(asked).toEqual([
    '/keys?account=a+b&limit=200',
    '/keys?account=a+b&limit=200&after=c1',
    '/keys?account=a+b&limit=200&after=c2',
  ])
})
