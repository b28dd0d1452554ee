/**
 * A relay made of Bun's server and an agent, and of nothing else: what the agents' rooms cost without the gateway around them. Beside nginx:
 *   npm run bench:agent
 * (`bun test/bench/agent-relay.ts PORT ORIGIN` serves alone.) The bars are in `agent-ratios.json`; CPU is the steadier of the two.
 */
import { createAgent, type Slot } from '../../src/agents/index.ts'
import type { Backend } from '../../src/domain/index.ts'
import { assert, systemClock } from '../../src/lib/index.ts'

const [port = '', origin = ''] = process.argv.slice(2)
const limits = { connectMs: 5000, firstContentMs: 120_000, totalMs: 600_000, idleMs: 120_000 }
const backend: Backend = {
  id: 'origin',
  provider: { id: 'origin', ownership: null, data: null, dialects: ['openai'], credentials: [] },
  baseUrl: origin,
  dialects: ['openai'],
  region: null,
  enabled: true,
  slots: 1024,
  tls: { caPem: null, client: null },
  proxy: null,
  resend: 'stale',
  ping: null,
  limits,
}
const settings = {
  idleMs: 55_000,
  ageMaxMs: 300_000,
  idleMax: 1024,
  warm: 1,
  keepWarmMs: 600_000,
  pingEveryMs: 15_000,
  connectionsMax: 10_000,
}
const agent = createAgent({ backend, settings, clock: systemClock() })
const TARGET = `${new URL(origin).pathname}/chat/completions`
const HEADERS: readonly (readonly [string, string])[] = [
  ['content-type', 'application/json'],
  ['accept', 'application/json'],
  ['authorization', 'Bearer sk-origin'],
]

/** A whole answer: as the gateway relays a plain one. */
function relay(slot: Slot, target: string, body: Uint8Array): Promise<Response> {
  return new Promise((resolve) => {
    let status = 0
    const pieces: Uint8Array[] = []
    const end = (response: Response): void => {
      agent.release(slot)
      resolve(response)
    }
    agent.send(
      slot,
      { method: 'POST', target, headers: HEADERS, body, limits, resend: 'stale' },
      {
        head: (head) => {
          status = head.status
        },
        body: (bytes) => void pieces.push(bytes),
        end: () => {
          const [first] = pieces
          const whole = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces)
          end(new Response(whole, { status, headers: { 'content-type': 'application/json' } }))
        },
        failure: ({ message }) => end(new Response(message, { status: 502 })),
      },
    )
  })
}

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  async fetch(request) {
    const body = await request.bytes()
    const slot = agent.take()
    assert(slot !== null, 'the benchmark asks for no more than there are slots')
    return relay(slot, TARGET, body)
  },
})
