import { expect, test } from 'bun:test'
import { startGateway } from '../support/gateway.ts'
import { runCommand } from '../support/run-command.ts'
import { gate, script, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { chat, eventually } from '../support/wire-chat.ts'

const run = (dataFolder: string, ...words: string[]) => runCommand([...words, '--data', dataFolder])

test('a fallback finds its connection open, and Server-Timing says so', async () => {
  await using bad = await scriptedProvider()
  await using good = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider: bad }, { provider: good }] } })
  bad.script(script(gate('later'), status(500, 'no')))
  good.script(completion('ok', 1, 1))
  const answer = chat(gateway)
  await bad.reached('later')
  await eventually(async () => {
    const { body } = await gateway.admin('GET', '/backends/b1')
    return body.connections_idle === 1 ? body : undefined
  })
  expect(good.requests).toHaveLength(0)
  bad.release('later')
  const timing = (await answer.head()).header('server-timing') ?? ''
  expect(timing).toMatch(/upstream-1;dur=[\d.]+;desc="b0 new connect=\d+\.\d\d write=\d+\.\d\d first-byte=\d+\.\d\d"/)
  expect(timing).toMatch(/upstream-2;dur=[\d.]+;desc="b1 kept age=0s write=\d+\.\d\d first-byte=\d+\.\d\d"/)
  expect(good.connections).toBe(1)
  expect((await gateway.admin('GET', '/backends/b1')).body.path).toMatchObject({
    kept_warm: true,
    requests_sent: 1,
    reused_percent: 100,
    ping_state: 'on',
    connect: { samples: 1 },
    first_byte: { samples: 1 },
  })
})

test('backends ping: new and kept side by side; backends probe: what each credential is told', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(status(401, 'no'), status(401, 'no'))
  const pinged = await run(gateway.dataFolder, 'backends', 'ping', 'b0')
  expect(pinged.code).toBe(0)
  expect(pinged.said).toMatch(/^MS +NEW +KEPT$/m)
  expect(pinged.said).toMatch(/^connect +\d+\.\d\d +-$/m)
  expect(pinged.said).toMatch(/^first byte +\d+\.\d\d +\d+\.\d\d$/m)
  expect(pinged.said).toMatch(/^status +401 +401$/m)
  expect(pinged.said).toMatch(/^connection +new +kept$/m)
  expect(provider.connections).toBe(1)
  expect((await gateway.admin('GET', '/backends/b0')).body.path).toBeNull() // nothing that requests use was touched

  provider.script(status(200, '{"data":[]}'))
  const probed = await run(gateway.dataFolder, 'backends', 'probe', 'b0')
  expect({ code: probed.code, complained: probed.complained }).toEqual({ code: 0, complained: '' })
  expect(probed.said).toMatch(/^\S+ +accepted +200 +\d+\.\d\d$/m)
  provider.script(status(403, 'no'))
  const denied = await run(gateway.dataFolder, 'backends', 'probe', 'b0')
  expect(denied.code).toBe(1)
  expect(denied.said).toMatch(/ denied +403 /)
  expect(denied.complained).toContain('b0: 1 of 1 not taken')

  await provider[Symbol.asyncDispose]()
  const gone = await run(gateway.dataFolder, 'backends', 'ping', 'b0')
  expect({ code: gone.code, said: gone.said }).toEqual({ code: 1, said: '' })
  expect(gone.complained).toContain('b0: connect: ')
})
