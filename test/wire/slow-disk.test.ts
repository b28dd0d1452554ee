import { expect, test } from 'bun:test'
import { FaultPanel } from '../../src/store/sqlite/faults.ts'
import { startGateway } from '../support/gateway.ts'
import { executable } from '../support/run-gateway.ts'
import { gate, script } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, delta, done, finish, sse, usage } from '../support/sse.ts'
import { balanceOf, chat, eventually } from '../support/wire-chat.ts'

const SLOW_MS = 2000 // long enough that everything else here is over long before

for (const isStream of [false, true])
  test.skipIf(executable !== null)(
    `${isStream ? 'a stream' : 'an answer'} is whole for its caller before its settlement is on a slow disk`,
    async () => {
      const faults = new FaultPanel()
      await using provider = await scriptedProvider()
      await using gateway = await startGateway({ offers: { m1: [{ provider }] }, faults })
      provider.script(
        script(
          gate('answer'),
          isStream ? sse(delta({ content: 'ok' }), finish(), usage(3, 2), done()) : completion('ok', 3, 2),
        ),
      )
      const asked = chat(gateway, isStream ? { stream: true } : {})
      await provider.reached('answer')
      await eventually(async () => (await gateway.admin('GET', '/ledger/holds')).body.data.length === 1 || undefined)
      await faults.set({ commitDelayMs: SLOW_MS })
      provider.release('answer')
      expect(await asked.status()).toBe(200)
      expect(await asked.text()).toContain('ok')
      expect(await asked.ended()).toBe('complete')
      expect((await gateway.admin('GET', '/ledger/settlements')).body.data).toEqual([])
      expect((await gateway.admin('GET', '/ledger/holds')).body.data).toHaveLength(1)
      await faults.set({ commitDelayMs: 0 })
      await eventually(
        async () => (await gateway.admin('GET', '/ledger/settlements')).body.data.length === 1 || undefined,
      )
      expect(await balanceOf(gateway)).toBe(1_000_000_000 - (3 * 4000 + 2 * 10_000))
    },
  )
