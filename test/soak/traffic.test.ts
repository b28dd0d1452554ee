import { expect, test } from 'bun:test'
import { heldBy, isDiskTooSlow, play, untilAtRest } from '../support/abort-fuzz.ts'
import { type AbortPlan, dailyPlan, diceOf, seedOf } from '../support/abort-plan.ts'
import { abortProvider } from '../support/abort-provider.ts'
import { startGateway } from '../support/gateway.ts'

const MINUTES = Number(process.env.ANYROUTER_SOAK_MINUTES ?? 10)
const AT_ONCE = 32
const PARTS = 10
const GROWTH_BYTES_MAX = 48 << 20 // from the second part to the last: the heap is as large as it gets by then
const REFUSED_SHARE_MAX = 0.05
const DESCRIPTORS_MORE_MAX = 32 // kept connections come and go

test(
  'traffic with 1 % resets, 1 % stalls and 5 % aborts: slots, connections, descriptors and memory return to where they began',
  async () => {
    const dice = diceOf(seedOf(process.env.ANYROUTER_SEED))
    const plans = new Map<number, AbortPlan>() // of what is under way
    await using provider = abortProvider((number) => plans.get(number))
    await using gateway = await startGateway({
      // A standstill is over soon; nothing is taken out, so that all are always asked.
      offers: {
        m1: [0, 1].map(() => ({
          provider,
          backend: { slots: 16, first_content_ms: 2000, idle_ms: 2000, total_ms: 6000 },
        })),
      },
      balanceUsd: '1000000.00',
      yaml: {
        routing: { queue_ms: 60_000 },
        quarantine: { failures: 10_000, window_min: 1_000_000, rate: 1, probe: false },
        // A plain answer that stands still may have been executed: here it is repeated all the same.
        replies: { repeat_plain_timeouts: true },
      },
    })
    let number = 0
    const cut: string[] = []
    let refused = 0
    const one = async (): Promise<void> => {
      const plan = dailyPlan(number++, dice)
      plans.set(plan.number, plan)
      const { bytes } = await play(gateway, provider, plan)
      plans.delete(plan.number)
      const isWhole = plan.provider[0]?.isWhole === 'yes'
      if (plan.caller.kind === 'leaves' || !isWhole) return
      const text = bytes.toString('latin1')
      if (isDiskTooSlow(text)) refused++
      else if (!text.startsWith('HTTP/1.1 200') || (plan.stream && !text.includes('[DONE]')))
        cut.push(text.slice(0, 300))
    }
    const held: NonNullable<ReturnType<typeof heldBy>>[] = []
    for (let part = 0; part < PARTS; part++) {
      const endMs = performance.now() + (MINUTES * 60_000) / PARTS
      const worker = async (): Promise<void> => {
        while (performance.now() < endMs) await one()
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
      await untilAtRest(gateway, provider)
      const now = gateway.pid === null ? null : heldBy(gateway.pid)
      if (now !== null) held.push(now)
    }
    const mib = held.map(({ memoryBytes }) => Math.round(memoryBytes / (1 << 20)))
    console.log(`${number} requests, ${refused} refused by the disk; MiB after each part: ${mib.join(', ')}`)
    console.log(`descriptors after each part: ${held.map(({ descriptors }) => descriptors).join(', ')}`)
    expect(cut.slice(0, 3)).toEqual([])
    expect(refused).toBeLessThan(number * REFUSED_SHARE_MAX)
    await gateway.stop() // checks the ledger and the slots
    const [, begin] = held
    const end = held.at(-1)
    if (begin === undefined || end === undefined) return expect(process.platform).not.toBe('linux')
    expect(end.memoryBytes - begin.memoryBytes).toBeLessThan(GROWTH_BYTES_MAX)
    expect(end.descriptors - begin.descriptors).toBeLessThan(DESCRIPTORS_MORE_MAX)
  },
  (MINUTES + 5) * 60_000,
)
