import { expect, test } from 'bun:test'
import { createSocket } from 'node:dgram'
import { getServers, setServers } from 'node:dns'
import { systemLookup } from '../../../src/agents/lookup.ts'

const A = 1
const AAAA = 28

/** A name server that knows `two.example` alone: two IPv4 addresses and one IPv6 one. */
async function nameServer(): Promise<{ port: number; asked: string[]; [Symbol.dispose](): void }> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, from) => {
    const labels: string[] = []
    let at = 12
    for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + size))
      at += 1 + size
    }
    const name = labels.join('.')
    asked.push(name)
    const answers = name === 'two.example' ? recordsOf(query.readUInt16BE(at + 1)) : null
    const flags = answers === null ? 0x8183 : 0x8180
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    head.writeUInt16BE(flags, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(answers?.length ?? 0, 6)
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...(answers ?? [])]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return { port: socket.address().port, asked, [Symbol.dispose]: () => socket.close() }
}

function recordsOf(type: number): Buffer[] {
  if (type === A) return [record(A, 77, [192, 0, 2, 1]), record(A, 77, [192, 0, 2, 2])]
  return type === AAAA ? [record(AAAA, 66, [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])] : []
}

function record(type: number, ttlS: number, data: number[]): Buffer {
  return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, ttlS, 0, data.length, ...data])
}

test('all addresses of a name, of both families, with their lives; none for a name that does not exist', async () => {
  using server = await nameServer()
  const before = getServers()
  setServers([`127.0.0.1:${server.port}`])
  try {
    expect((await systemLookup('two.example')).toSorted((one, other) => (one.ip < other.ip ? -1 : 1))).toEqual([
      { ip: '192.0.2.1', ttlS: 77 },
      { ip: '192.0.2.2', ttlS: 77 },
      { ip: '2001:db8::1', ttlS: 66 },
    ])
    await expect(systemLookup('none.example')).rejects.toThrow('ENOTFOUND')
    expect(server.asked).toContain('none.example')
  } finally {
    setServers(before)
  }
})

test('the machine’s own names have no life', async () => {
  expect(await systemLookup('localhost')).toContainEqual({ ip: '127.0.0.1', ttlS: null })
})
